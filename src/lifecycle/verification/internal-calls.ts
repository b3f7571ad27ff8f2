import type { ToolUse } from '../../contract/tool/verification.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall } from '../states.ts';
import type { Known } from './bindings.ts';

export type InternalCallResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string };

/** Another tool, called on behalf of a call in flight. */
export interface InternalCall {
  readonly call: AuthorizedCall;
  readonly use: ToolUse;
  /** What the arguments of the tool are bound to. */
  readonly known: Known;
}

/**
 * Calls that the gateway makes itself. They pass all six phases with the authority of the caller and never more, and leave
 * their own receipts. Limits do not count them, and the cache never answers them.
 */
export interface InternalCalls {
  /**
   * Reads the state of the target system with a read-only tool, before the deadline of the call. It goes on when the caller
   * disconnects: a later call with the same key gets the finding.
   */
  readBack(deps: CallDependencies, internal: InternalCall): Promise<InternalCallResult>;
  /** Undoes an effect once, with the whole timeout of the compensating tool: the effect outlives the caller's deadline. */
  compensate(deps: CallDependencies, internal: InternalCall): Promise<InternalCallResult>;
}
