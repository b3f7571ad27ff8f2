import type { JsonObject } from '../../base/json/json.ts';
import type { Progress } from '../call/call-request.ts';
import type { ToolResult } from '../call/tool-result.ts';
import type { TraceContext } from '../call/trace.ts';
import type { ToolDescriptor } from '../tool/descriptor.ts';
import type { UpstreamState } from '../upstream-state.ts';

export interface UpstreamCall {
  /** The upstream's own name of the tool. */
  readonly toolName: string;
  readonly version: string | undefined;
  readonly args: JsonObject;
  /** Fires at the deadline and when the caller cancels: nothing may begin after that. */
  readonly signal: AbortSignal;
  /** Fires when nobody wants the answer any more, and the upstream is told; with `signal` where absent, else not before it. */
  readonly abandonSignal?: AbortSignal;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly trace: TraceContext;
  /** The same for every attempt at one effect: for upstreams that take a key. */
  readonly idempotencyKey?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** From its call on nobody can say that nothing happened. What it throws ends the call. */
  beforeSend(): Promise<void>;
}

export interface UpstreamListener {
  /** The whole list as it is now: first sight, a change notification, a reconnect. Never a part of it. */
  toolsListed(descriptors: readonly ToolDescriptor[]): void;
  stateChanged(state: UpstreamState): void;
}

/**
 * A source of tools. An implementation
 * - resolves `start` when the first list is there or when it is known why not, and never rejects: a failure is a state;
 * - keeps trying on its own after a failure that time can heal, with backoff, until `stop`;
 * - rejects `call` with a `Fault` and nothing else, at once when the connection is lost under the call, and says that it
 *   had no effect only where that is certain;
 * - lets a call that arrives during a reconnect wait for it, within the call's deadline;
 * - awaits `beforeSend` right before the first byte of a call leaves and not sooner, passes on what it throws, and sends
 *   nothing then;
 * - never sends a call twice once any byte of it may have been acted upon.
 */
export interface Upstream {
  readonly namespace: string;
  readonly state: UpstreamState;
  start(listener: UpstreamListener): Promise<void>;
  call(call: UpstreamCall): Promise<ToolResult>;
  stop(): Promise<void>;
}
