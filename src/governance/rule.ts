import type { Reason } from '../contract/decision.ts';
import type { Principal } from '../contract/principal.ts';
import type { ToolContract } from '../contract/tool.ts';

export interface Question {
  readonly principal: Principal;
  readonly contract: ToolContract;
}

/** One sentence of policy. It speaks only where it has something to say. */
export interface Rule {
  readonly name: string;
  evaluate(question: Question): Omit<Reason, 'rule'> | undefined;
}
