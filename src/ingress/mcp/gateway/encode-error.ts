import type { CallError } from '../../../contract/call/outcome.ts';
import { describeError } from '../../../contract/errors/catalogue.ts';
import { type Answer, memberLines } from './answer.ts';

/** An error for programs, in the shape that the surface's specification gives it. */
export function errorBody(
  { code, variant, message, retryable, details, retryAfterMs }: CallError,
  extra: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    error: describeError(code, variant).gateway,
    message,
    path: typeof details?.path === 'string' ? details.path : '',
    retryable,
    details: { ...details, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }), ...extra },
  };
}

/**
 * Encodes an error: what happened, whether a retry may help, what to do next, and the details. The trace id is of use to
 * a model only where the next step names it.
 */
export function encodeError(error: CallError, extra: Readonly<Record<string, unknown>> = {}): Answer {
  const { message, retryable, retryAfterMs } = error;
  const { gateway, next } = describeError(error.code, error.variant);
  const { trace_id, ...others } = extra;
  const shown = next.includes('trace id') ? extra : others;
  const wait = retryAfterMs === undefined ? '' : ` after ${retryAfterMs} ms`;
  const text = [
    `${gateway}: ${message}`,
    `${retryable ? `Retryable${wait}` : 'Not retryable'}. ${next}`,
    ...memberLines({ ...error.details, ...shown }),
  ].join('\n');
  return { content: [{ type: 'text', text }], structured: errorBody(error, extra), isError: true };
}
