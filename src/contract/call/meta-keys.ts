/** Keys of a call's context in `_meta`, in requests to the gateway and in requests to upstreams. */
export const CALL_KEYS = {
  /** The caller's own session id, because a transport session ends with its connection. */
  session: 'toolgate/session',
  idempotencyKey: 'toolgate/idempotencyKey',
  /** The caller's remaining time in milliseconds. A duration and not a time, because clocks differ. */
  timeoutMs: 'toolgate/timeoutMs',
  /** In an answer: its structured form. In a request: `true` asks for it in `structuredContent` too. */
  structured: 'toolgate/structured',
  /** With a failed result: how long to wait before a retry, in milliseconds. */
  retryAfterMs: 'toolgate/retryAfterMs',
} as const;
