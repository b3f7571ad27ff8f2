import { Fault } from '../../contract/errors/fault.ts';
import type { Gate } from '../dependencies.ts';
import type { ExecutedCall } from '../phases/execute.ts';
import { dataOf } from './bindings.ts';
import { undo } from './internal-call.ts';
import { objectionTo } from './read-back.ts';
import { tellIfStateChanged } from './state-probe.ts';

/** Holds what a tool says against the world, where its contract tells how. What was seen to be wrong is undone. */
export async function checkWorld(gate: Gate, call: ExecutedCall): Promise<void> {
  await tellIfStateChanged(gate, call, call.stateBefore);
  const objection = await objectionTo(gate, call);
  if (!objection) return;
  const { kind, why } = objection;
  throw kind === 'wrong' ? await undone(gate, call, why) : unchecked(gate, call, why);
}

async function undone(gate: Gate, call: ExecutedCall, why: string): Promise<Fault> {
  const compensated = await compensate(gate, call);
  const { journey, contract } = call;
  gate.events.publish({ type: 'violation', callId: journey.callId, toolId: contract.id, what: why });
  const message = `The tool ran, but ${why}; its effect was ${compensated ? '' : 'not '}undone.`;
  return new Fault('INTERNAL_TOOL_ERROR', message, { details: { inconsistent: why, compensated } });
}

/** Nothing is known against the effect: to undo it might undo a good one. */
function unchecked({ events }: Gate, { journey: { callId } }: ExecutedCall, why: string): Fault {
  const fault = new Fault(
    'INTERNAL_TOOL_ERROR',
    `The tool ran, but whether it did what it says could not be checked (${why}); its effect was left as it is.`,
    { details: { unchecked: why, compensated: false } },
  );
  events.publish({ type: 'trouble', callId, what: 'effect not checked', cause: fault });
  return fault;
}

async function compensate(gate: Gate, call: ExecutedCall): Promise<boolean> {
  const use = call.contract.verification?.compensate;
  if (!use) return false;
  return (await undo(gate, call, use, { args: call.args, result: dataOf(call.result) })).ok;
}
