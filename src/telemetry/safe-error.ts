/** The part of an error that quotes no caller, no tool and no store. */
export interface SafeError {
  readonly type: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: SafeError;
}

const MAX_DEPTH = 4;

/**
 * The type, code and stack of an error. Messages may quote arguments and results, and so may those of the runtime (a
 * `SyntaxError` of `JSON.parse` quotes its input).
 */
export function safeError(thrown: unknown, depth = 1): SafeError {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { stack, cause } = thrown;
  const code = codeOf(thrown);
  return {
    type: thrown.constructor.name,
    ...(code !== undefined && { code }),
    ...(typeof stack === 'string' && { stack: stackFrames(stack, thrown.message) }),
    ...(cause !== undefined && depth < MAX_DEPTH && { cause: safeError(cause, depth + 1) }),
  };
}

function codeOf(error: Error): string | number | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}

/** Cuts the message off first: a stack begins with it, and it may contain lines that look like frames. */
function stackFrames(stack: string, message: string): string {
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  return frames
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join('\n');
}
