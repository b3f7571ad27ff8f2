import type { CallDependencies } from '../dependencies.ts';
import { withIdempotency } from '../idempotency/idempotency.ts';
import type { AuthorizedCall, ExecutedCall } from '../states.ts';
import { faultFromStored } from '../to-outcome.ts';
import { cacheKeyOf } from '../upstream/result-cache.ts';
import { callUpstream } from '../upstream/send.ts';
import type { InternalCallResult } from '../verification/internal-call.ts';
import { requirePreconditions } from '../verification/preconditions.ts';
import { probeState } from '../verification/state-probe.ts';

/** An answer that is there already, or the upstream's: whose key it is, what is remembered, and only then the world. */
export async function executeCall(deps: CallDependencies, call: AuthorizedCall): Promise<ExecutedCall> {
  const { record, contract, snapshot } = call;
  let stateBefore: InternalCallResult | undefined;
  const kept = await withIdempotency(deps, call, async (askWorld) => {
    const remembered = deps.cache?.get(snapshot, cacheKeyOf(call));
    if (remembered) return { ...remembered, source: 'cache' };
    requirePreconditions(deps, call);
    stateBefore = await probeState(deps, call);
    const result = await callUpstream(deps, call, askWorld);
    return { result, executedAt: new Date().toISOString(), source: 'compute' };
  });
  const { executedAt, source, replayOf } = kept;
  record.provenance = {
    toolId: contract.id,
    ...(contract.version !== undefined && { version: contract.version }),
    upstream: contract.namespace,
    executedAt,
    source,
    ...(replayOf !== undefined && { replayOf }),
    ...(record.argumentRepairs.length > 0 && { argRepairs: record.argumentRepairs }),
  };
  if ('rejection' in kept) throw faultFromStored(kept.rejection);
  return {
    ...call,
    result: kept.result,
    stateBefore,
    isSettled: kept.resolvedByOperator ?? false,
  } as ExecutedCall;
}
