import type { CallRequest } from '../contract/call/call-request.ts';
import type { Phase } from '../contract/call/phase.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { ErrorCode } from '../contract/errors/catalogue.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

/** What phases publish. Metrics, traces and logs subscribe; no phase depends on them. */
export type CallEvent =
  | {
      readonly type: 'started';
      readonly callId: string;
      readonly request: CallRequest;
      readonly spanId: string;
      /** Epoch milliseconds. */
      readonly at: number;
    }
  | {
      readonly type: 'phase';
      readonly callId: string;
      readonly phase: Phase;
      readonly spanId: string;
      /** Epoch milliseconds, with fractions. */
      readonly startedAt: number;
      readonly durationMs: number;
      readonly passed: boolean;
      /** Present once it is resolved. */
      readonly contract: ToolContract | undefined;
    }
  /** The call is retried after a failure with this code. */
  | { readonly type: 'retried'; readonly callId: string; readonly attempt: number; readonly code: ErrorCode }
  | { readonly type: 'ended'; readonly receipt: Receipt; readonly cause: unknown }
  /** A tool did what its contract rules out. */
  | { readonly type: 'violation'; readonly callId: string; readonly toolId: string; readonly what: string }
  /** Something beside the call failed: the caller has its answer, and an operator must know. */
  | { readonly type: 'trouble'; readonly callId: string; readonly what: string; readonly cause: unknown };

export type CallListener = (event: CallEvent) => void;

export interface SubscribeOptions {
  /** False for a listener that ignores the events `phase`: without a reader, no phase is timed. */
  readonly readsPhases?: boolean;
  /** The listener exports a span for every phase, so these spans become the parents of upstream requests. */
  readonly makesSpans?: boolean;
}

export class CallEvents {
  readonly #listeners = new Set<CallListener>();
  readonly #phaseReaders = new Set<CallListener>();
  readonly #tracers = new Set<CallListener>();

  subscribe(
    listener: CallListener,
    { readsPhases = true, makesSpans = false }: SubscribeOptions = {},
  ): () => void {
    this.#listeners.add(listener);
    if (readsPhases) this.#phaseReaders.add(listener);
    if (makesSpans) this.#tracers.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#phaseReaders.delete(listener);
      this.#tracers.delete(listener);
    };
  }

  get arePhasesRead(): boolean {
    return this.#phaseReaders.size > 0;
  }

  /** Whether a listener exports spans. Without one, upstreams get the caller's trace context unchanged. */
  get areTraced(): boolean {
    return this.#tracers.size > 0;
  }

  publish(event: CallEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // A failing listener must not fail a call, and its error has no other receiver.
      }
    }
  }
}
