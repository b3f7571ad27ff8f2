import type { ServerResponse } from 'node:http';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';

/**
 * Fires with the first of them. For signals that live no longer than a call: `AbortSignal.any` does more, for those that
 * outlive it, and costs several times as much.
 */
export function firstOf(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) follow(first, signal);
  return first.signal;
}

/** Fires when the caller cancels, and when it has gone before its answer was out. */
export function goneOrCancelled(response: ServerResponse, cancelled: AbortSignal): AbortSignal {
  const ended = new AbortController();
  follow(ended, cancelled);
  response.once('close', () => {
    if (!response.writableFinished) ended.abort();
  });
  return ended.signal;
}

function follow(follower: AbortController, signal: AbortSignal): void {
  const tell = (): void => follower.abort(signal.reason);
  if (signal.aborted) tell();
  else signal.addEventListener('abort', tell, { once: true });
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
