import type { Json, JsonObject } from '../../base/json/json.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { TimeoutClass } from '../tool/timeout-class.ts';
import type { CostHints, SideEffect } from '../tool/tool.ts';
import type { ContentPart } from './tool-result.ts';

/** Where an answer came from, and which promise it was held to. */
export interface Provenance {
  readonly toolId: string;
  /** Of the tool, where it declares one. */
  readonly version?: string;
  readonly upstream: string;
  /** From the tool itself, from memory, or the result of an earlier call with the same key. */
  readonly source: 'compute' | 'cache' | 'replay';
  readonly executedAt: string;
  /** The call that had the effect, where this answer repeats its result. */
  readonly replayOf?: string;
  /** Where arguments were read as they were meant and not as they were written. */
  readonly argRepairs?: readonly { readonly path: string; readonly rule: string }[];
}

export interface Timing {
  readonly durationMs: number;
}

/** A part kept for later drill-down. Its handle is the digest of its bytes: it can never stand for others. */
export interface ArtifactRef {
  readonly handle: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly selectors: readonly string[];
}

/** What the caller's model gets to see: the upstream's own blocks, or a summary that points at artifacts. */
export type ResultView =
  | { readonly kind: 'whole'; readonly content: readonly ContentPart[]; readonly structured?: unknown }
  | {
      readonly kind: 'summary';
      readonly summary: string;
      readonly facts: JsonObject;
      readonly artifacts: readonly ArtifactRef[];
      /** Blocks that a model reads as such (a small image) and that stay beside the summary. */
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

export interface DryRunReport {
  readonly dry_run: true;
  readonly tool_id: string;
  readonly upstream_name: string;
  readonly args_valid: boolean | null;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly mutation: string;
  /** What the contract says that the call would change, and what it would cost. Predictions, not promises. */
  readonly predicted_side_effects: readonly SideEffect[];
  readonly estimated_impact: {
    readonly effect: 'none' | 'reversible' | 'irreversible';
    /** Somebody answers for it; else a profile assumed it. */
    readonly stated: boolean;
    readonly checked_afterwards: boolean;
    readonly undone_if_wrong: boolean;
  };
  readonly estimated_cost?: CostHints;
  readonly idempotency_key: 'optional' | 'recommended' | 'required';
  readonly approval: 'required' | 'not_required';
  readonly timeout: { readonly class: TimeoutClass; readonly max_ms: number };
  /** Present where there are limits. */
  readonly quota_left?: readonly {
    readonly scope: string;
    readonly per_minute?: number;
    readonly per_session?: number;
  }[];
  readonly checks: readonly {
    readonly name: string;
    readonly status: 'pass' | 'fail' | 'skipped';
    readonly reason?: string;
  }[];
  readonly input_schema?: Json;
}

interface EveryOutcome {
  readonly callId: string;
  readonly traceId: string;
  readonly timing: Timing;
}

/** How a call ended, in no wire's words. Ingress encodes it. */
export type Outcome = EveryOutcome &
  (
    | { readonly status: 'ok'; readonly view: ResultView; readonly provenance: Provenance }
    | {
        readonly status: 'failed';
        readonly error: CallError;
        /** What the tool itself said, when it ran and reported an error. */
        readonly view?: ResultView;
        readonly provenance?: Provenance;
      }
    | {
        readonly status: 'pending';
        readonly ticket: { readonly id: string; readonly message: string; readonly expiresAt: string };
      }
    | { readonly status: 'dry_run'; readonly report: DryRunReport }
  );
