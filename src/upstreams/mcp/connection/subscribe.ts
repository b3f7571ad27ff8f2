import { setTimeout as pause } from 'node:timers/promises';
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { backoffMs } from '../../../base/async/backoff.ts';

export interface SubscribeOptions {
  readonly client: Client;
  /** Ends the listening for good. */
  readonly signal: AbortSignal;
  /** The stream broke: perhaps the server did too. */
  readonly onInterrupted: () => void;
  /** It is open again, and a change may have gone unheard in between. */
  readonly onReopened: () => void;
}

/** How long a start waits for the server's word that it will tell of changes. */
const SUBSCRIBE_TIMEOUT_MS = 2_000;
const ACKNOWLEDGE_MS = 30_000;

/**
 * The younger era tells of changes only on a stream that somebody holds open, and the SDK does not open it again.
 * Resolves when the stream is open, so that a list read afterwards misses nothing; or after a while without it.
 */
export async function subscribeToChanges(options: SubscribeOptions): Promise<void> {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(resolve, SUBSCRIBE_TIMEOUT_MS);
  void keepSubscribed(options, { opened: resolve, since: Date.now() });
  await opened.finally(() => clearTimeout(patience));
}

interface FirstOpening {
  opened(): void;
  readonly since: number;
}

async function keepSubscribed(
  { client, signal, onInterrupted, onReopened }: SubscribeOptions,
  { opened, since }: FirstOpening,
): Promise<void> {
  const isLate = (): boolean => Date.now() - since >= SUBSCRIBE_TIMEOUT_MS;
  for (let failures = 0, openings = 0; !signal.aborted; ) {
    try {
      const stream = await client.listen({ toolsListChanged: true }, { signal, timeout: ACKNOWLEDGE_MS });
      if (openings++ > 0 || failures > 0 || isLate()) onReopened();
      failures = 0;
      opened();
      await stream.closed;
      if (!signal.aborted) onInterrupted();
    } catch (thrown) {
      opened();
      if (thrown instanceof ProtocolError && thrown.code === ProtocolErrorCode.MethodNotFound) return;
    }
    failures++;
    await pause(backoffMs(failures), undefined, { signal, ref: false }).catch(() => {});
  }
}
