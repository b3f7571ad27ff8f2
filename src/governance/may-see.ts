import type { DecisionRequest } from './rule.ts';

/** Whether the tool exists for this caller at all. What it may not see is answered like what is not there. */
export function maySee({ contract }: DecisionRequest): boolean {
  return contract.visibility === 'external';
}
