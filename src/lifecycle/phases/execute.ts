import type { Provenance } from '../../contract/call/outcome.ts';
import type { CallDependencies } from '../dependencies.ts';
import { claimKey } from '../idempotency/claim-key.ts';
import type { RejectedResult, StoredResult } from '../idempotency/stored-result.ts';
import type { AuthorizedCall, ExecutedCall } from '../states.ts';
import { faultFromStored } from '../to-outcome.ts';
import { callUpstream } from '../upstream/call-upstream.ts';
import { cacheKeyOf } from '../upstream/result-cache.ts';
import { requirePreconditions } from '../verification/preconditions.ts';
import { probeState } from '../verification/state-probe.ts';

/** Claims the key, then answers from the stored result, the cache, or the upstream. */
export async function executeCall(deps: CallDependencies, call: AuthorizedCall): Promise<ExecutedCall> {
  const claimed = await claimKey(deps, call);
  if (claimed.state === 'replayed') return executedFrom(call, claimed.stored);
  const { claim } = claimed;
  try {
    const cached = deps.cache?.get(call.snapshot, cacheKeyOf(call));
    if (cached) {
      claim.complete({ ...cached, source: 'cache' });
      return executedFrom(call, { ...cached, source: 'cache' });
    }
    requirePreconditions(deps, call);
    const stateBefore = await probeState(deps, call);
    const { result } = await callUpstream(deps, call, claim);
    const stored: StoredResult = { result, executedAt: new Date().toISOString(), source: 'compute' };
    return { ...executedFrom(call, stored), claim, stateBefore };
  } catch (error) {
    await claim.abandon(error);
    throw error;
  }
}

function executedFrom(call: AuthorizedCall, stored: StoredResult | RejectedResult): ExecutedCall {
  const provenance = provenanceOf(call, stored);
  call.record.facts.provenance = provenance;
  if ('rejection' in stored) throw faultFromStored(stored.rejection);
  const { result, resolvedByOperator = false } = stored;
  return {
    ...call,
    result,
    provenance,
    claim: undefined,
    stateBefore: undefined,
    isResolvedByOperator: resolvedByOperator,
  } as ExecutedCall;
}

function provenanceOf(
  { contract, input }: AuthorizedCall,
  { executedAt, source, replayOf }: StoredResult | RejectedResult,
): Provenance {
  return {
    toolId: contract.id,
    ...(contract.version !== undefined && { version: contract.version }),
    upstream: contract.namespace,
    executedAt,
    source,
    ...(replayOf !== undefined && { replayOf }),
    ...(input.repairs.length > 0 && { argRepairs: input.repairs }),
  };
}
