const LONGEST_MS = 24 * 60 * 60 * 1_000;

/** The delay of a `Retry-After` header: seconds or a date (RFC 9110, section 10.2.3). Undefined where it has neither. */
export function readRetryAfter(value: unknown, now: number = Date.now()): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isDate = text.endsWith(' GMT');
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
}
