import type { Gate } from '../dependencies.ts';
import type { AuthorizedCall } from '../phases/authorize.ts';
import type { Known } from './bindings.ts';
import { look, type Ran } from './internal-call.ts';
import { isSame } from './read-back.ts';

/** The state that a tool may or may not change, where its contract says how to look at it. */
export async function lookAtState(gate: Gate, call: AuthorizedCall): Promise<Ran | undefined> {
  const { contract, journey, args } = call;
  const probe = journey.arrival.errand ? undefined : contract.verification?.probe;
  const known: Known = { args, result: undefined };
  return probe && look(gate, call, probe, known);
}

/** A tool that only reads and changed something has broken its word. The caller has its answer; somebody must know. */
export async function tellIfStateChanged(
  gate: Gate,
  call: AuthorizedCall,
  before: Ran | undefined,
): Promise<void> {
  if (!before?.ok || call.contract.mutation !== 'read_only') return;
  const after = await lookAtState(gate, call);
  if (!after?.ok || isSame(before.answer, after.answer)) return;
  const { journey, contract } = call;
  gate.events.publish({
    type: 'violation',
    callId: journey.callId,
    toolId: contract.id,
    what: 'a tool that only reads changed the state',
  });
}
