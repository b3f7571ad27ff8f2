import type { Arrival } from '../contract/call.ts';
import type { Phase } from '../contract/phase.ts';
import type { Receipt } from '../contract/receipt.ts';

/** What phases publish. Metrics, traces and logs listen; no phase knows that they exist. */
export type CallEvent =
  | { readonly type: 'arrived'; readonly callId: string; readonly arrival: Arrival }
  | {
      readonly type: 'phase';
      readonly callId: string;
      readonly phase: Phase;
      readonly durationMs: number;
      readonly passed: boolean;
    }
  | { readonly type: 'ended'; readonly receipt: Receipt; readonly cause: unknown }
  /** A tool did what its contract rules out. */
  | { readonly type: 'violation'; readonly callId: string; readonly toolId: string; readonly what: string }
  /** Something went wrong beside the call: the caller still has its answer, and an operator must know. */
  | { readonly type: 'trouble'; readonly callId: string; readonly what: string; readonly cause: unknown };

export type CallListener = (event: CallEvent) => void;

export class CallEvents {
  readonly #listeners = new Set<CallListener>();

  subscribe(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: CallEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // A broken listener must not break a call, and there is nobody left to tell.
      }
    }
  }
}
