import type { JsonObject } from '../../base/json/json.ts';
import type { Progress } from '../call/call-request.ts';
import type { Caller } from '../call/caller.ts';
import type { ToolResult } from '../call/tool-result.ts';
import type { TraceContext } from '../call/trace.ts';
import { Fault } from '../errors/fault.ts';
import type { ToolDescriptor } from '../tool/descriptor.ts';
import type { UpstreamState } from '../upstream-state.ts';

/** What is the same for every attempt at one call. */
export interface UpstreamRequest {
  /** The upstream's own name of the tool. */
  readonly toolName: string;
  readonly version: string | undefined;
  readonly args: JsonObject;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly trace: TraceContext;
  /** The same for every attempt at one effect: for upstreams that take a key. */
  readonly idempotencyKey?: string;
  readonly onProgress?: (progress: Progress) => void;
}

export interface UpstreamSignals {
  /** Fires at the deadline and when the caller cancels: nothing may be sent after that. */
  readonly signal: AbortSignal;
  /** Fires when the answer is not wanted any more: only then is the upstream asked to stop. Never before `signal`. */
  readonly abandonSignal: AbortSignal;
}

/** What an upstream answers. Further kinds join this union; a phase handles only the kinds that it names. */
export type UpstreamAnswer = { readonly kind: 'result'; readonly result: ToolResult };

export interface UpstreamListener {
  /**
   * The whole list as it is now: first sight, a change notification, a reconnect. Never a part of it. Resolves when the
   * tools can be called; a long list takes several turns of the event loop.
   */
  toolsListed(descriptors: readonly ToolDescriptor[]): Promise<void> | void;
  stateChanged(state: UpstreamState): void;
  /** A defect of the upstream that its operator should correct, and that does not change its state. */
  warned(message: string): void;
}

/**
 * A source of tools. An implementation
 * - resolves `start` when the first list is there or when it is known why not, and never rejects: a failure is a state;
 * - keeps retrying on its own after a failure that time can heal, with backoff, until `stop`;
 * - waits in `session` for a reconnect under way, as long as the signal allows;
 * - rejects `session` with a `Fault` and nothing else; a call that gets no session has had no effect.
 */
export interface Upstream {
  readonly namespace: string;
  readonly state: UpstreamState;
  start(listener: UpstreamListener): Promise<void>;
  /** A connection for one attempt of this caller. Nothing of a call has been sent when it resolves. */
  session(caller: Caller, signal: AbortSignal): Promise<UpstreamSession>;
  stop(): Promise<void>;
}

/**
 * A connection that is open now. An implementation
 * - sends the first byte of a call inside `callTool` and not sooner, and never sends a call twice;
 * - rejects with a `Fault` and nothing else, at once when the connection is lost under the call;
 * - states `effect: 'none'` only where that is certain, and rejects with `NotDelivered` where the upstream cannot have
 *   received the call.
 */
export interface UpstreamSession {
  callTool(request: UpstreamRequest, signals: UpstreamSignals): Promise<UpstreamAnswer>;
}

/** The upstream cannot have received the call: the only failure after which it may be sent again at once. */
export class NotDelivered extends Fault {
  constructor({ code, message, variant, details, retryAfterMs, cause }: Fault) {
    super(code, message, {
      ...(variant !== undefined && { variant: variant as never }),
      details,
      retryAfterMs,
      effect: 'none',
      cause,
    });
  }
}
