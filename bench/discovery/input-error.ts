/** An invalid file or option. The message has the file and line, or the option, and the reason. */
export class InputError extends Error {}
