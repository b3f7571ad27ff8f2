import type { ServerResponse } from 'node:http';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { onAbort } from '../../base/async/abort.ts';

/** Fires when the caller cancels, or disconnects before it has its response. */
export function disconnectedOrCancelled(response: ServerResponse, cancelled: AbortSignal): AbortSignal {
  const ended = new AbortController();
  onAbort(cancelled, () => ended.abort(cancelled.reason));
  response.once('close', () => {
    if (!response.writableFinished) ended.abort();
  });
  return ended.signal;
}

/**
 * Fires when the client cancels, not when its connection breaks: the SDK aborts the signal of a request in both cases, with
 * different reasons. Over HTTP a client of the newer era cancels by closing the stream, which counts as broken.
 */
export function cancellationOf(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  onAbort(signal, () => {
    if (!isBrokenConnection(signal.reason)) cancelled.abort(signal.reason);
  });
  return cancelled.signal;
}

function isBrokenConnection(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}
