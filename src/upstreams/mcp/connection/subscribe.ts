import { setTimeout as pause } from 'node:timers/promises';
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { backoffMs } from '../../../base/async/backoff.ts';
import { waitAtMost } from '../../../base/async/timeout.ts';

export interface SubscribeOptions {
  readonly client: Client;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
  /** The stream broke, and the server may be lost too. */
  readonly onInterrupted: () => void;
  /** The stream is open again; a change in between may have been missed. */
  readonly onReopened: () => void;
}

/** How long a start waits until the server has accepted the subscription. */
const SUBSCRIBE_TIMEOUT_MS = 2_000;
const ACKNOWLEDGE_TIMEOUT_MS = 30_000;

/**
 * A server of the newer era reports changes only on a stream that the client holds open, and the SDK does not reopen it.
 * Resolves when the stream is open, so that a list that is read afterwards misses no change, or after a timeout.
 */
export async function subscribeToChanges(options: SubscribeOptions): Promise<void> {
  const { promise: attempted, resolve } = Promise.withResolvers<void>();
  void keepSubscribed(options, { onAttempt: resolve, since: Date.now() });
  await waitAtMost(attempted, { ms: SUBSCRIBE_TIMEOUT_MS });
}

interface Start {
  /** Called after each attempt, with or without a stream; the start waits for the first. */
  readonly onAttempt: () => void;
  /** Epoch milliseconds. */
  readonly since: number;
}

async function keepSubscribed(
  { client, signal, onInterrupted, onReopened }: SubscribeOptions,
  { onAttempt, since }: Start,
): Promise<void> {
  const isLate = (): boolean => Date.now() - since >= SUBSCRIBE_TIMEOUT_MS;
  for (let failures = 0, openings = 0; !signal.aborted; ) {
    try {
      const stream = await client.listen(
        { toolsListChanged: true },
        { signal, timeout: ACKNOWLEDGE_TIMEOUT_MS },
      );
      if (openings++ > 0 || failures > 0 || isLate()) onReopened();
      failures = 0;
      onAttempt();
      await stream.closed;
      if (!signal.aborted) onInterrupted();
    } catch (thrown) {
      onAttempt();
      if (thrown instanceof ProtocolError && thrown.code === ProtocolErrorCode.MethodNotFound) return;
    }
    failures++;
    await pause(backoffMs(failures), undefined, { signal, ref: false }).catch(() => {});
  }
}
