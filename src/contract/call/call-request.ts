import type { Caller } from './caller.ts';

/**
 * A call as ingress received it, independent of the protocol. Only the caller's identity has been checked. It is plain data,
 * so that a call can be stored and resumed; `CallHandles` holds what lives only as long as the connection.
 */
export interface CallRequest {
  readonly caller: Caller;
  /** A canonical tool id, or `/namespace/name` for the version that LATEST resolves to. */
  readonly tool: string;
  /** Undefined only in a dry run that asks for the schema. */
  readonly args: unknown;
  /** The caller's own deadline, in epoch milliseconds. */
  readonly deadline?: number;
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
}

/** The live connection of a call to its caller. */
export interface CallHandles {
  /** Fires when the caller disconnects or cancels. */
  readonly signal?: AbortSignal;
  /** Fires only on a cancellation, where the protocol distinguishes it from a broken connection. */
  readonly cancelled?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
