const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** How long to wait before the next attempt: at once after the first loss, then doubling, half of it by chance. */
export function backoffMs(failures: number, chance: number = Math.random()): number {
  if (failures === 0) return 0;
  const full = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return Math.round(full / 2 + (full / 2) * chance);
}
