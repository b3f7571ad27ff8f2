import type { RequestId } from '@modelcontextprotocol/server';
import { waitAtMost } from '../../base/async/timeout.ts';
import { Fault } from '../../contract/errors/fault.ts';

export interface InFlightCall {
  /** Fires when another message cancels the call, with the reason of its client, and when the gateway stops. */
  readonly signal: AbortSignal;
  end(): void;
}

/** How long stopped calls have to write their receipts and to be answered. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * The calls that one listener serves now. A client of the older era cancels with a separate request that has only the
 * session id in common with the call; no other session state exists, so any node can serve any request.
 */
export class InFlightCalls {
  readonly #controllers = new Set<AbortController>();
  readonly #byRequest = new Map<string, AbortController>();
  #idleListeners: (() => void)[] = [];
  #isDraining = false;

  /** Calls in flight may end, and a new one is stopped at once. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  get count(): number {
    return this.#controllers.size;
  }

  begin(session: string | undefined, requestId: RequestId): InFlightCall {
    const controller = new AbortController();
    if (this.#isDraining) controller.abort(stopped());
    this.#controllers.add(controller);
    const key = session ? keyOf(session, requestId) : undefined;
    if (key !== undefined) this.#byRequest.set(key, controller);
    return {
      signal: controller.signal,
      end: () => {
        this.#controllers.delete(controller);
        if (key !== undefined && this.#byRequest.get(key) === controller) this.#byRequest.delete(key);
        if (this.count === 0) for (const listener of this.#idleListeners.splice(0)) listener();
      },
    };
  }

  cancel(session: string, requestId: RequestId, reason: unknown): void {
    this.#byRequest.get(keyOf(session, requestId))?.abort(reason);
  }

  /** Lets the calls in flight end, each at its own deadline at the latest, and stops those that are left after the timeout. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#waitUntilIdle(timeoutMs);
    for (const controller of this.#controllers) controller.abort(stopped());
    await this.#waitUntilIdle(STOP_TIMEOUT_MS);
  }

  async #waitUntilIdle(timeoutMs: number): Promise<void> {
    if (this.count === 0) return;
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    this.#idleListeners.push(resolve);
    await waitAtMost(idle, { ms: timeoutMs });
  }
}

/** A client that cancelled a call does not expect an answer to it; one whose call the gateway stopped does. */
export function isCancelledByClient({ signal }: InFlightCall): boolean {
  return signal.aborted && !(signal.reason instanceof Fault);
}

function stopped(): Fault {
  return new Fault('CANCELLED', 'The gateway stopped before the call ended.', { variant: 'shutdown' });
}

function keyOf(session: string, requestId: RequestId): string {
  return JSON.stringify([session, requestId]);
}
