import type { CallError, Provenance } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';

interface Origin {
  readonly executedAt: string;
  readonly source: Provenance['source'];
  /** The call that had the effect, where it is not this one. */
  readonly replayOf?: string;
}

/** A result as it is kept for whoever asks again with the same key. */
export interface StoredResult extends Origin {
  readonly result: ToolResult;
  /** An operator's word for it, and not the tool's: no schema fits it. */
  readonly resolvedByOperator?: true;
}

/** Kept in place of a result that was not believed: why not, and what became of the effect. */
export interface RejectedResult extends Origin {
  readonly rejection: CallError;
}
