/** What may be said of an error without repeating what a caller, a tool or a store said. */
export interface SafeError {
  readonly type: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: SafeError;
}

const MAX_DEPTH = 4;

/** An error's type, code and place. Its words may quote arguments and results, and the runtime's own are no exception. */
export function safeError(thrown: unknown, depth = 1): SafeError {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { stack, cause } = thrown;
  const code = codeOf(thrown);
  return {
    type: thrown.constructor.name,
    ...(code !== undefined && { code }),
    ...(typeof stack === 'string' && { stack: placesIn(stack, thrown.message) }),
    ...(cause !== undefined && depth < MAX_DEPTH && { cause: safeError(cause, depth + 1) }),
  };
}

function codeOf(error: Error): string | number | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}

/** A stack begins with the message, which may look like a stack itself. */
function placesIn(stack: string, message: string): string {
  const places = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  return places
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join('\n');
}
