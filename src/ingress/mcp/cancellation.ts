import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';

/**
 * Fires with the first of them. For signals that live no longer than a call: `AbortSignal.any` does more, for those that
 * outlive it, and costs several times as much.
 */
export function firstOf(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) {
    const tell = (): void => first.abort(signal.reason);
    if (signal.aborted) tell();
    else signal.addEventListener('abort', tell, { once: true });
  }
  return first.signal;
}

/**
 * Fires when the client cancels. The SDK ends a request's own signal then and when its connection breaks, and only the
 * reason tells one from the other. In the newer era a client cancels over HTTP by closing the stream: that cannot be told
 * from a broken one, so it counts as broken.
 */
export function cancellationOf(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  const tell = (): void => {
    if (!isBrokenConnection(signal.reason)) cancelled.abort(signal.reason);
  };
  if (signal.aborted) tell();
  else signal.addEventListener('abort', tell, { once: true });
  return cancelled.signal;
}

function isBrokenConnection(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}
