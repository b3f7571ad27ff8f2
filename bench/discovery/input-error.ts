/** What the caller gave cannot be measured; the message says which file, line or option, and why. */
export class InputError extends Error {}
