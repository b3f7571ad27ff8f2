import type { JsonObject } from '../base/json/json.ts';
import type { ArgumentRepair } from '../catalog/arguments/repair.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { CallHandles } from '../contract/call/call-request.ts';
import type { Decision } from '../contract/call/decision.ts';
import type { DryRunReport, Outcome, Provenance, ResultView } from '../contract/call/outcome.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { CallRecord } from './call-record.ts';
import type { CallRun } from './call-run.ts';
import type { Claim } from './idempotency/claim.ts';

declare const requested: unique symbol;

/** A call whose tool exists for its caller, with the time it may take. */
export interface RequestedCall {
  readonly [requested]: true;
  readonly run: CallRun;
  readonly record: CallRecord;
  readonly handles: CallHandles;
  /** The catalog when the call started. The call uses it to its end. */
  readonly snapshot: CatalogSnapshot;
  readonly contract: ToolContract;
  /** Epoch milliseconds: the maximum of the timeout class or what the caller has left, whichever is sooner. */
  readonly deadline: number;
  /** Scoped to the caller, its session and the tool; undefined where the caller sent no key. */
  readonly effectKey: string | undefined;
}

declare const validated: unique symbol;

/** A call whose arguments satisfy the input schema; without arguments only in a dry run that asks for the schema. */
export interface ValidatedCall extends RequestedCall {
  readonly [validated]: true;
  readonly input: ValidInput | undefined;
}

export interface ValidInput {
  /** As sent to the upstream: with defaults, repairs and the idempotency key. */
  readonly args: JsonObject;
  /** SHA-256 over the canonical form of the arguments as received, so that a new default does not make it another call. */
  readonly inputHash: string;
  /** SHA-256 over the canonical form of `args`. */
  readonly sentHash: string;
  readonly repairs: readonly ArgumentRepair[];
}

declare const authorized: unique symbol;

/** A call that a decision allows, with its reasons. */
export interface AuthorizedCall extends ValidatedCall {
  readonly [authorized]: true;
  readonly input: ValidInput;
  readonly decision: Decision;
}

/** A call that ends before Execute without an error: a dry run, or a call that needs approval. */
export interface EarlyOutcome {
  readonly early:
    | { readonly status: 'dry_run'; readonly report: DryRunReport }
    | Pick<Extract<Outcome, { status: 'pending' }>, 'status' | 'ticket'>;
}

/** The result of a call that the gateway made itself. */
export type InternalCallResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string };

declare const executed: unique symbol;

/** A call that has its result. The effect has happened, even if a later phase fails. */
export interface ExecutedCall extends AuthorizedCall {
  readonly [executed]: true;
  readonly result: ToolResult;
  readonly provenance: Provenance;
  /** Present where this call had the effect itself; absent for a replayed or cached result. */
  readonly claim: Claim | undefined;
  /** The probed state before the call, where the contract names a probe. */
  readonly stateBefore: InternalCallResult | undefined;
  /** The result is an operator's statement and not the tool's, so no schema applies to it. */
  readonly isResolvedByOperator: boolean;
}

declare const verified: unique symbol;

/** A call whose result keeps the contract and can be shown. */
export interface VerifiedCall extends ExecutedCall {
  readonly [verified]: true;
  readonly view: ResultView;
  /** The upstream's `_meta`, redacted, where a client gets the result whole. */
  readonly meta: JsonObject | undefined;
}
