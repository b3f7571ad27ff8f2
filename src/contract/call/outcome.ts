import type { Json, JsonObject } from '../../base/json/json.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { TimeoutClass } from '../tool/timeout-class.ts';
import type { CostHints, MutationClass, SideEffect, ToolHints } from '../tool/tool.ts';
import type { ContentPart } from './tool-result.ts';

/** Where a result came from. */
export interface Provenance {
  readonly toolId: string;
  /** The version that the tool declares. */
  readonly version?: string;
  readonly upstream: string;
  /** `compute`: the tool ran. `cache`: a cached result. `replay`: the result of an earlier call with the same key. */
  readonly source: 'compute' | 'cache' | 'replay';
  readonly executedAt: string;
  /** The id of the call that had the effect, where this is its replayed result. */
  readonly replayOf?: string;
  /** Arguments that were repaired before validation. */
  readonly argRepairs?: readonly { readonly path: string; readonly rule: string }[];
}

export interface Timing {
  readonly durationMs: number;
}

/** A stored part of a result. Its handle is derived from the digest of its bytes, so it always means the same bytes. */
export interface ArtifactRef {
  readonly handle: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly selectors: readonly string[];
}

/** What the caller's model sees: the upstream's own blocks, or a summary with artifact handles. */
export type ResultView =
  | { readonly kind: 'whole'; readonly content: readonly ContentPart[]; readonly structured?: unknown }
  | {
      readonly kind: 'summary';
      readonly summary: string;
      readonly facts: JsonObject;
      readonly artifacts: readonly ArtifactRef[];
      /** Blocks that a model reads directly, such as a small image; they are returned with the summary. */
      readonly content: readonly ContentPart[];
    };

export interface CallError {
  readonly code: ErrorCode;
  readonly variant: string | undefined;
  readonly retryable: boolean;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
}

/** What a call would do. These are predictions from the contract, not guarantees. */
export interface DryRunReport {
  readonly toolId: string;
  readonly upstreamName: string;
  /** Null where no arguments were sent. */
  readonly areArgsValid: boolean | null;
  readonly hints: ToolHints;
  readonly mutation: MutationClass;
  readonly sideEffects: readonly SideEffect[];
  readonly impact: {
    readonly effect: 'none' | 'reversible' | 'irreversible';
    /** True where the upstream or an operator declared the effect; false where a profile assumed it. */
    readonly isDeclared: boolean;
    readonly isVerifiedAfterwards: boolean;
    readonly isCompensatedIfWrong: boolean;
  };
  readonly cost: CostHints;
  readonly idempotencyKey: 'optional' | 'recommended' | 'required';
  readonly needsApproval: boolean;
  readonly timeoutClass: TimeoutClass;
  /** Empty where there are no limits. */
  readonly quotaRemaining: readonly {
    readonly scope: string;
    readonly perMinute?: number;
    readonly perSession?: number;
  }[];
  readonly checks: readonly {
    readonly name: string;
    readonly status: 'pass' | 'fail' | 'skipped';
    readonly reason?: string;
  }[];
  /** The full description and the schema; present where no arguments were sent. */
  readonly description?: string;
  readonly inputSchema?: Json;
}

interface OutcomeIdentity {
  readonly callId: string;
  readonly traceId: string;
  readonly timing: Timing;
}

/** How a call ended, independent of the protocol. Ingress encodes it. */
export type Outcome = OutcomeIdentity &
  (
    | {
        readonly status: 'ok';
        readonly view: ResultView;
        readonly provenance: Provenance;
        /** The upstream's own metadata: for clients, never for a model. */
        readonly meta?: JsonObject;
      }
    | {
        readonly status: 'failed';
        readonly error: CallError;
        /** The tool's own result, where the tool ran and reported an error. */
        readonly view?: ResultView;
        readonly provenance?: Provenance;
        readonly meta?: JsonObject;
      }
    | {
        readonly status: 'pending';
        readonly ticket: { readonly id: string; readonly message: string; readonly expiresAt: string };
      }
    | { readonly status: 'dry_run'; readonly report: DryRunReport }
  );
