import type { ServerResponse } from 'node:http';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';

/**
 * Fires with the first of them. For signals that live no longer than a call: `AbortSignal.any` does more, for those that
 * outlive it, and costs several times as much.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) onceAborted(signal, () => first.abort(signal.reason));
  return first.signal;
}

/** Fires when the caller cancels, and when it has gone before its answer was out. */
export function disconnectedOrCancelled(response: ServerResponse, cancelled: AbortSignal): AbortSignal {
  const ended = new AbortController();
  onceAborted(cancelled, () => ended.abort(cancelled.reason));
  response.once('close', () => {
    if (!response.writableFinished) ended.abort();
  });
  return ended.signal;
}

/**
 * Fires when the client cancels. The SDK ends a request's own signal then and when its connection breaks, and only the
 * reason tells one from the other. In the newer era a client cancels over HTTP by closing the stream: that cannot be told
 * from a broken one, so it counts as broken.
 */
export function cancellationOf(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  onceAborted(signal, () => {
    if (!isBrokenConnection(signal.reason)) cancelled.abort(signal.reason);
  });
  return cancelled.signal;
}

function onceAborted(signal: AbortSignal, tell: () => void): void {
  if (signal.aborted) tell();
  else signal.addEventListener('abort', tell, { once: true });
}

function isBrokenConnection(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}
