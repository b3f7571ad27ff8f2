import type { ErrorCode } from '../errors/catalogue.ts';
import type { MutationClass, SideEffect } from '../tool/tool.ts';
import type { Caller, ClientInfo } from './caller.ts';
import type { Decision } from './decision.ts';
import type { Phase } from './phase.ts';

/** The size and the digest of a result. Its content is never recorded. */
export interface OutputSummary {
  readonly parts: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** The one record of one call, written whatever its outcome. */
export interface Receipt {
  readonly callId: string;
  readonly traceId: string;
  /** ISO 8601, UTC, by the gateway's clock. */
  readonly at: string;
  readonly principalId: string;
  /** The tenant of the principal; null where there is only one. */
  readonly tenant: string | null;
  /** Null where the surface has no client that identifies itself. */
  readonly client: ClientInfo | null;
  /** Names the credential that the caller presented; null for the local user. */
  readonly credential: string | null;
  /** Null in receipts of earlier versions. */
  readonly transport: Caller['transport'] | null;
  readonly surface: string;
  /** The contract's operation, or the surface's own one such as `browse`; null where no tool was found. */
  readonly operation: string | null;
  /** The tool as the caller named it, cut to 300 characters; it may name no tool at all. */
  readonly requested: string;
  readonly toolId: string | null;
  /** The version that the tool declares. */
  readonly toolVersion: string | null;
  readonly toolDigest: string | null;
  readonly mutation: MutationClass | null;
  /** Declared by the contract, not observed. */
  readonly sideEffects: readonly SideEffect[];
  /** SHA-256 over the canonical form of the arguments as received; the arguments themselves are not stored. */
  readonly inputHash: string | null;
  /** The same over the arguments as sent, after defaults and repairs; null where nothing was sent. */
  readonly sentHash: string | null;
  readonly outputSummary: OutputSummary | null;
  readonly decision: Decision | null;
  /** The approval that allowed the call. */
  readonly approvalId: string | null;
  /** `unknown`: the process ended between the intent and the answer, so the outcome cannot be known. */
  readonly status: 'ok' | 'failed' | 'pending' | 'dry_run' | 'unknown';
  readonly errorCode: ErrorCode | null;
  /** The phase that the call ended in. */
  readonly phase: Phase;
  readonly durationMs: number;
  readonly idempotencyKey: string | null;
  /** The origin of the answer; null where there was none. */
  readonly source: 'compute' | 'cache' | 'replay' | null;
  /** How often the call was sent to the upstream. */
  readonly attempts: number;
}
