import { Fault } from '../contract/errors/fault.ts';
import type { CompletedCall } from './completed-call.ts';

/** Whether the tool ran and returned an error as its result, which is a success of the MCP protocol. */
export function toolReportedError({ receipt }: Pick<CompletedCall, 'receipt'>): boolean {
  return receipt.status === 'failed' && receipt.phase === 'return';
}

export function hasTimedOut({ receipt }: Pick<CompletedCall, 'receipt'>): boolean {
  return receipt.errorCode === 'DEADLINE_EXCEEDED';
}

/** The schema that rejected the call's arguments or its result; undefined where the call failed for another reason. */
export function failedSchema({
  receipt,
  cause,
}: Pick<CompletedCall, 'receipt' | 'cause'>): 'input' | 'output' | undefined {
  if (!(cause instanceof Fault)) return undefined;
  const { phase } = receipt;
  if (phase === 'validate' && cause.code === 'INVALID_INPUT' && cause.details?.errors) return 'input';
  // In this phase the same code also reports a failed postcondition.
  const isOutput = cause.code === 'INTERNAL_TOOL_ERROR' && !cause.details?.inconsistent;
  return phase === 'verify' && isOutput ? 'output' : undefined;
}
