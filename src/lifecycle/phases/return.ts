import type { Outcome } from '../../contract/call/outcome.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { VerifiedCall } from '../states.ts';
import { identityOf, toCallError } from '../to-outcome.ts';

/** States how the call ended. A tool that reports an error has failed, and its own result goes along. */
export function returnCall({ run, result, view, provenance }: VerifiedCall): Outcome {
  const common = { ...identityOf(run), view, provenance };
  if (!result.isError) return { ...common, status: 'ok' };
  const error = toCallError(
    new Fault('UPSTREAM_FAILURE', 'The tool reported an error.', { variant: 'tool' }),
  );
  return { ...common, status: 'failed', error };
}
