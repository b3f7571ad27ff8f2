import type { JsonObject } from '../base/json/json.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Decision } from '../contract/call/decision.ts';
import type { ResultView } from '../contract/call/outcome.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { CallRecord } from './call-record.ts';
import type { InternalCallResult } from './verification/internal-call.ts';

declare const requested: unique symbol;

/** A call whose tool exists for its caller, with the time it may take. */
export interface RequestedCall {
  readonly [requested]: true;
  readonly record: CallRecord;
  /** What the call began with; it keeps it to its end. */
  readonly snapshot: CatalogSnapshot;
  readonly contract: ToolContract;
  /** Epoch milliseconds: the class's maximum or what the caller has left, whichever is sooner. */
  readonly deadline: number;
}

declare const validated: unique symbol;

/** A call whose arguments keep the input schema, to the letter. */
export interface ValidatedCall extends RequestedCall {
  readonly [validated]: true;
  /** Absent only in a dry run that asks for the schema. */
  readonly args: JsonObject | undefined;
}

declare const authorized: unique symbol;

/** A call that a decision lets through, with its reasons. */
export interface AuthorizedCall extends ValidatedCall {
  readonly [authorized]: true;
  readonly args: NonNullable<ValidatedCall['args']>;
  readonly decision: Decision;
}

declare const executed: unique symbol;

/** A call that the upstream has answered. Whatever comes after, the effect has happened. */
export interface ExecutedCall extends AuthorizedCall {
  readonly [executed]: true;
  readonly result: ToolResult;
  /** What the world looked like before, where the contract says how to look. */
  readonly stateBefore: InternalCallResult | undefined;
  /** The result is an operator's word and not the tool's. */
  readonly isSettled: boolean;
}

declare const verified: unique symbol;

/** A call whose answer keeps the contract and is fit to be read. */
export interface VerifiedCall extends ExecutedCall {
  readonly [verified]: true;
  readonly view: ResultView;
}
