import type { Reason } from '../contract/call/decision.ts';
import type { Principal } from '../contract/call/principal.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

export interface DecisionRequest {
  readonly principal: Principal;
  readonly contract: ToolContract;
}

/** One sentence of policy. It speaks only where it has something to say. */
export interface Rule {
  readonly name: string;
  evaluate(question: DecisionRequest): Omit<Reason, 'rule'> | undefined;
}
