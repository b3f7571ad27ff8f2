/** Where a call's context travels in `_meta`, towards us and towards upstreams alike. */
export const CALL_KEYS = {
  /** The caller's own name of the conversation: a connection's dies with the connection. */
  session: 'toolgate/session',
  idempotencyKey: 'toolgate/idempotencyKey',
  /** What is left of the caller's time, in milliseconds. A span, because clocks differ. */
  timeoutMs: 'toolgate/timeoutMs',
  /** With a failed result: how long to wait before a retry, in milliseconds. */
  retryAfterMs: 'toolgate/retryAfterMs',
} as const;
