import { Fault } from '../../contract/errors/fault.ts';

const MAX_TEXT_LENGTH = 256;

/** Checks a short text of a caller, such as an idempotency key. */
export function readText(what: string, value: unknown): string {
  // A blank value usually comes from an unset variable, and unrelated calls would share it.
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH) return value;
  throw new Fault(
    'INVALID_INPUT',
    `"${what}" must be a string of 1 to ${MAX_TEXT_LENGTH} characters and not blank.`,
  );
}
