import type { RequestId } from '@modelcontextprotocol/server';
import { waitAtMost } from '../../base/async/timeout.ts';

export interface InFlightCall {
  /** Fires when another message cancels the call. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The calls that one listener serves now. A client of the older era cancels with a separate request that has only the
 * session id in common with the call; no other session state exists, so any node can serve any request.
 */
export class InFlightCalls {
  readonly #controllers = new Set<AbortController>();
  readonly #byRequest = new Map<string, AbortController>();
  #idleListeners: (() => void)[] = [];

  get count(): number {
    return this.#controllers.size;
  }

  begin(session: string | undefined, requestId: RequestId): InFlightCall {
    const controller = new AbortController();
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

  cancel(session: string, requestId: RequestId): void {
    this.#byRequest.get(keyOf(session, requestId))?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#controllers) controller.abort();
  }

  /** Resolves when no call is in flight, or after the timeout. */
  async waitUntilIdle(timeoutMs: number): Promise<void> {
    if (this.count === 0) return;
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    this.#idleListeners.push(resolve);
    await waitAtMost(idle, { ms: timeoutMs });
  }
}

function keyOf(session: string, requestId: RequestId): string {
  return JSON.stringify([session, requestId]);
}
