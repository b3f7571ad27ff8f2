import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall } from '../states.ts';
import type { Known } from './bindings.ts';
import { type InternalCallResult, readBack } from './internal-call.ts';
import { isSame } from './read-back.ts';

/** The state that a tool may or may not change, where its contract says how to look at it. */
export async function probeState(
  deps: CallDependencies,
  call: AuthorizedCall,
): Promise<InternalCallResult | undefined> {
  const { contract, record, args } = call;
  const probe = record.request.internal ? undefined : contract.verification?.probe;
  const known: Known = { args, result: undefined };
  return probe && readBack(deps, call, probe, known);
}

/** A tool that only reads and changed something has broken its word. The caller has its answer; somebody must know. */
export async function reportIfStateChanged(
  deps: CallDependencies,
  call: AuthorizedCall,
  before: InternalCallResult | undefined,
): Promise<void> {
  if (!before?.ok || call.contract.mutation !== 'read_only') return;
  const after = await probeState(deps, call);
  if (!after?.ok || isSame(before.answer, after.answer)) return;
  const { record, contract } = call;
  deps.events.publish({
    type: 'violation',
    callId: record.callId,
    toolId: contract.id,
    what: 'a tool that only reads changed the state',
  });
}
