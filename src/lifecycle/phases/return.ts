import type { CallError, Outcome } from '../../contract/call/outcome.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { declaredError } from '../../contract/tool/declared-error.ts';
import type { VerifiedCall } from '../states.ts';
import { identityOf, toCallError } from '../to-outcome.ts';

/** Creates the outcome. A tool that reports an error has failed, and the outcome contains its own result. */
export function returnCall(call: VerifiedCall): Outcome {
  const { run, result, view, meta, provenance } = call;
  const common = { ...identityOf(run), view, provenance, ...(meta && { meta }) };
  if (!result.isError) return { ...common, status: 'ok' };
  return { ...common, status: 'failed', error: reportedError(call) };
}

/** Only a code that the contract declares is passed on, and its declaration decides whether a retry makes sense. */
function reportedError({ contract, result }: VerifiedCall): CallError {
  const { error = {} } = result;
  const { retryAfterMs } = error;
  const declared = declaredError(contract, error);
  const fault = new Fault('UPSTREAM_FAILURE', 'The tool reported an error.', {
    variant: 'tool',
    retryAfterMs,
    ...(declared && { details: { code: declared.code } }),
  });
  return { ...toCallError(fault), ...(declared && { retryable: declared.retryable }) };
}
