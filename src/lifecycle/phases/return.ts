import type { Outcome } from '../../contract/call/outcome.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { VerifiedCall } from '../states.ts';
import { toCallError } from '../to-outcome.ts';

/** Says how it ended. A tool that reports an error has failed, and its own words go along. */
export function returnCall({ record, result, view }: VerifiedCall): Outcome {
  const { callId, request, timing } = record;
  const provenance = record.provenance!;
  const every = { callId, traceId: request.trace.traceId, timing, view, provenance };
  if (!result.isError) return { ...every, status: 'ok' };
  const error = toCallError(
    new Fault('UPSTREAM_FAILURE', 'The tool reported an error.', { variant: 'tool' }),
  );
  return { ...every, status: 'failed', error };
}
