import { Fault } from '../contract/errors/fault.ts';
import type { CompletedCall } from './completed-call.ts';

/** That the tool ran and answered with an error of its own, which MCP counts as a success of the protocol. */
export function toolReportedError({ receipt }: Pick<CompletedCall, 'receipt'>): boolean {
  return receipt.status === 'failed' && receipt.phase === 'return';
}

/** A caller that went away has not waited for too long. */
export function ranOutOfTime({ receipt, cause }: Pick<CompletedCall, 'receipt' | 'cause'>): boolean {
  if (receipt.errorCode !== 'DEADLINE_EXCEEDED') return false;
  return !(cause instanceof Fault && cause.variant === 'cancelled');
}

/** Which check found fault with the schema of whom; nothing where a refusal has other reasons. */
export function brokenSchema({
  receipt,
  cause,
}: Pick<CompletedCall, 'receipt' | 'cause'>): 'input' | 'output' | undefined {
  if (!(cause instanceof Fault)) return undefined;
  const { phase } = receipt;
  if (phase === 'validate' && cause.code === 'INVALID_INPUT' && cause.details?.errors) return 'input';
  // In this phase the code also tells of a world that is not as the tool says.
  const isOutput = cause.code === 'INTERNAL_TOOL_ERROR' && !cause.details?.inconsistent;
  return phase === 'verify' && isOutput ? 'output' : undefined;
}
