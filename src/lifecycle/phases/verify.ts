import type { CallDependencies } from '../dependencies.ts';
import type { Claim } from '../idempotency/claim.ts';
import { summarizeOutput } from '../output-summary.ts';
import type { ExecutedCall, VerifiedCall } from '../states.ts';
import { toCallError, toFault } from '../to-outcome.ts';
import { cacheKeyOf } from '../upstream/result-cache.ts';
import { checkOutput } from '../verification/output-schema.ts';
import { checkPostconditions } from '../verification/postconditions.ts';
import { presentMeta, presentResult } from './present-result.ts';

/** Checks the result against the contract, stores it, and makes what the caller sees of it. */
export async function verifyCall(deps: CallDependencies, call: ExecutedCall): Promise<VerifiedCall> {
  call.record.facts.outputSummary = await summarizeOutput(call.result);
  if (call.claim) await verifyOwnResult(deps, call, call.claim);
  else checkOutput(call);
  const view = await presentResult(deps, call);
  return { ...call, view, meta: presentMeta(deps, call, view) } as VerifiedCall;
}

/**
 * Only this call's own effect is checked against the target system: a replayed or cached result is older than its present
 * state. The finding is stored under the key, so that a later call with the key gets the same answer.
 */
async function verifyOwnResult(deps: CallDependencies, call: ExecutedCall, claim: Claim): Promise<void> {
  const { result, record, snapshot } = call;
  const { executedAt, source } = call.provenance;
  try {
    checkOutput(call);
    if (!result.isError && record.origin === 'caller') await checkPostconditions(deps, call);
  } catch (error) {
    claim.complete({ executedAt, source, rejection: toCallError(toFault(error)) });
    throw error;
  }
  claim.complete({ executedAt, source, result });
  deps.cache?.put(snapshot, cacheKeyOf(call), { result, executedAt, source });
}
