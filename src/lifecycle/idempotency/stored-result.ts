import type { CallError, Provenance } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';

interface Execution {
  readonly executedAt: string;
  readonly source: Provenance['source'];
  /** The call that had the effect, where it is not this one. */
  readonly replayOf?: string;
}

/** A result as it is stored for later calls with the same key. */
export interface StoredResult extends Execution {
  readonly result: ToolResult;
  /** The result is an operator's statement and not the tool's: no schema applies to it. */
  readonly resolvedByOperator?: true;
}

/** Stored in place of a result that failed verification: the error, which states what became of the effect. */
export interface RejectedResult extends Execution {
  readonly rejection: CallError;
}
