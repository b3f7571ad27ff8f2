import type { RequestId } from '@modelcontextprotocol/server';

export interface InFlightCall {
  /** Fires when the call is cancelled by another message than its own. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The calls that one listener serves at this moment. Clients of the older era cancel with a message that comes on a
 * request of its own; the session id that both carry is all that ties them together. It is a mark and not a session:
 * nothing is kept for it, and any node answers any of them.
 */
export class InFlightCalls {
  readonly #controllers = new Set<AbortController>();
  readonly #byRequest = new Map<string, AbortController>();
  #waiting: (() => void)[] = [];

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
        if (this.count === 0) for (const tell of this.#waiting.splice(0)) tell();
      },
    };
  }

  cancel(session: string, requestId: RequestId): void {
    this.#byRequest.get(keyOf(session, requestId))?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#controllers) controller.abort();
  }

  /** Resolves when no call is under way, or after a while. */
  async waitUntilIdle(patienceMs: number): Promise<void> {
    if (this.count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const timer = setTimeout(resolve, patienceMs);
    await promise.finally(() => clearTimeout(timer));
  }
}

function keyOf(session: string, requestId: RequestId): string {
  return JSON.stringify([session, requestId]);
}
