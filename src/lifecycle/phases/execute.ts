import type { ToolResult } from '../../contract/call/tool-result.ts';
import { ownerOf } from '../../results/artifacts/artifact.ts';
import type { Gate } from '../dependencies.ts';
import { once } from '../idempotency/idempotency.ts';
import { repeatedFault } from '../to-outcome.ts';
import type { CacheKey } from '../upstream/result-cache.ts';
import { dispatch } from '../upstream/send.ts';
import type { Ran } from '../verification/internal-call.ts';
import { requirePreconditions } from '../verification/preconditions.ts';
import { lookAtState } from '../verification/state-probe.ts';
import type { AuthorizedCall } from './authorize.ts';

declare const executed: unique symbol;

/** A call that the upstream has answered. Whatever comes after, the effect has happened. */
export interface ExecutedCall extends AuthorizedCall {
  readonly [executed]: true;
  readonly result: ToolResult;
  /** What the world looked like before, where the contract says how to look. */
  readonly stateBefore: Ran | undefined;
  /** The result is an operator's word and not the tool's. */
  readonly isSettled: boolean;
}

/** An answer that is there already, or the upstream's: whose key it is, what is remembered, and only then the world. */
export async function executeCall(gate: Gate, call: AuthorizedCall): Promise<ExecutedCall> {
  const { journey, contract, snapshot } = call;
  let stateBefore: Ran | undefined;
  const kept = await once(gate, call, async (askWorld) => {
    const remembered = gate.cache?.get(snapshot, cacheKeyOf(call));
    if (remembered) return { ...remembered, source: 'cache' };
    requirePreconditions(gate, call);
    stateBefore = await lookAtState(gate, call);
    const result = await dispatch(gate, call, askWorld);
    return { result, executedAt: new Date().toISOString(), source: 'compute' };
  });
  const { executedAt, source, replayOf } = kept;
  journey.provenance = {
    toolId: contract.id,
    ...(contract.version !== undefined && { version: contract.version }),
    upstream: contract.namespace,
    executedAt,
    source,
    ...(replayOf !== undefined && { replayOf }),
    ...(journey.argumentRepairs.length > 0 && { argRepairs: journey.argumentRepairs }),
  };
  if ('disbelieved' in kept) throw repeatedFault(kept.disbelieved);
  return { ...call, result: kept.result, stateBefore, isSettled: kept.settled ?? false } as ExecutedCall;
}

export function cacheKeyOf({ contract, journey }: AuthorizedCall): CacheKey {
  return { owner: ownerOf(journey.arrival.principal), contract, inputHash: journey.inputHash! };
}
