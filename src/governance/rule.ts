import type { JsonObject } from '../base/json/json.ts';
import type { Caller } from '../contract/call/caller.ts';
import type { Reason } from '../contract/call/decision.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

/** What is known only for a single call. */
export interface DecisionContext {
  /** As sent to the upstream; absent in a dry run that asks for the schema. */
  readonly args?: JsonObject | undefined;
  readonly environment?: {
    /** Epoch milliseconds. */
    readonly at: number;
    readonly transport: Caller['transport'];
  };
}

export interface DecisionRequest extends DecisionContext {
  readonly principal: Caller['principal'];
  readonly contract: ToolContract;
}

/** One rule of the policy. It gives no reason where it does not apply. */
export interface Rule {
  readonly name: string;
  /** The rule reads the call context: it is evaluated for every call, and its reason is never cached. */
  readonly perCall?: true;
  evaluate(request: DecisionRequest): Omit<Reason, 'rule'> | undefined;
}
