import type { ErrorCode } from '../errors/catalogue.ts';
import type { MutationClass } from '../tool/tool.ts';
import type { Decision } from './decision.ts';
import type { Phase } from './phase.ts';

/** The one record of one arrival: written whatever happened to it. */
export interface Receipt {
  readonly callId: string;
  readonly traceId: string;
  /** ISO 8601, UTC, by the gateway's clock. */
  readonly at: string;
  readonly principalId: string;
  readonly surface: string;
  /** What the caller asked for, cut to 300 characters; it may name no tool at all. */
  readonly requested: string;
  readonly toolId: string | null;
  readonly toolDigest: string | null;
  readonly mutation: MutationClass | null;
  /** SHA-256 over the canonical form of the arguments; the arguments themselves are not kept. */
  readonly inputHash: string | null;
  readonly decision: Decision | null;
  /** `unknown`: the process died between the intent and the answer, and nobody can know what became of it. */
  readonly status: 'ok' | 'failed' | 'pending' | 'dry_run' | 'unknown';
  readonly errorCode: ErrorCode | null;
  /** The phase that the call ended in. */
  readonly phase: Phase;
  readonly durationMs: number;
  readonly idempotencyKey: string | null;
  /** Where the answer came from; null where there was none. */
  readonly source: 'compute' | 'cache' | 'replay' | null;
  /** How often the upstream was asked. */
  readonly attempts: number;
}
