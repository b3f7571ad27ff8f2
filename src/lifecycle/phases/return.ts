import type { Outcome } from '../../contract/call/outcome.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { callError } from '../to-outcome.ts';
import type { VerifiedCall } from './verify.ts';

/** Says how it ended. A tool that reports an error has failed, and its own words go along. */
export function returnCall({ journey, result, view }: VerifiedCall): Outcome {
  const { callId, arrival, timing } = journey;
  const provenance = journey.provenance!;
  const every = { callId, traceId: arrival.trace.traceId, timing, view, provenance };
  if (!result.isError) return { ...every, status: 'ok' };
  const error = callError(new Fault('UPSTREAM_FAILURE', 'The tool reported an error.', { variant: 'tool' }));
  return { ...every, status: 'failed', error };
}
