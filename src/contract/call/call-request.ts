import type { Principal } from './principal.ts';
import type { TraceContext } from './trace.ts';

/** A call as it arrives at the door, whatever wire brought it. Nothing in it is checked yet but the caller's identity. */
export interface CallRequest {
  readonly principal: Principal;
  /** A canonical tool id, or `/namespace/name` for the version that LATEST resolves to. */
  readonly tool: string;
  /** Absent only where a dry run asks for the schema. */
  readonly args: unknown;
  readonly surface: string;
  readonly trace: TraceContext;
  /** Epoch milliseconds: what is left of the caller's own budget. */
  readonly deadline?: number;
  readonly idempotencyKey?: string;
  /** The orchestrator's session, never the transport's. */
  readonly sessionId?: string;
  readonly dryRun?: boolean;
  /** Sent by the gateway itself to check another call: its answer is compared as it came, and shown to nobody. */
  readonly internal?: 'read_back' | 'compensation';
  /** Fires when the caller goes away or cancels. */
  readonly signal?: AbortSignal;
  /** Fires only when it says that it cancels, where its wire can tell that from a connection that broke. */
  readonly cancelled?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
