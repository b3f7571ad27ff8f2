const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/** Exponential backoff with jitter: no delay without an earlier failure, then 250 ms doubling to 30 s, half of it random. */
export function backoffMs(failures: number, random: number = Math.random()): number {
  if (failures === 0) return 0;
  const full = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
  return Math.round(full / 2 + (full / 2) * random);
}
