import { Fault } from '../../contract/errors/fault.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';
import { dataOf } from './bindings.ts';
import { compensateWith } from './internal-call.ts';
import { findDiscrepancy } from './read-back.ts';
import { reportIfStateChanged } from './state-probe.ts';

/** Holds what a tool says against the world, where its contract tells how. What was seen to be wrong is undone. */
export async function checkPostconditions(deps: CallDependencies, call: ExecutedCall): Promise<void> {
  await reportIfStateChanged(deps, call, call.stateBefore);
  const objection = await findDiscrepancy(deps, call);
  if (!objection) return;
  const { kind, why } = objection;
  throw kind === 'mismatch' ? await undone(deps, call, why) : unchecked(deps, call, why);
}

async function undone(deps: CallDependencies, call: ExecutedCall, why: string): Promise<Fault> {
  const compensated = await compensate(deps, call);
  const { record, contract } = call;
  deps.events.publish({ type: 'violation', callId: record.callId, toolId: contract.id, what: why });
  const message = `The tool ran, but ${why}; its effect was ${compensated ? '' : 'not '}undone.`;
  return new Fault('INTERNAL_TOOL_ERROR', message, { details: { inconsistent: why, compensated } });
}

/** Nothing is known against the effect: to undo it might undo a good one. */
function unchecked({ events }: CallDependencies, { record: { callId } }: ExecutedCall, why: string): Fault {
  const fault = new Fault(
    'INTERNAL_TOOL_ERROR',
    `The tool ran, but whether it did what it says could not be checked (${why}); its effect was left as it is.`,
    { details: { unchecked: why, compensated: false } },
  );
  events.publish({ type: 'trouble', callId, what: 'effect not checked', cause: fault });
  return fault;
}

async function compensate(deps: CallDependencies, call: ExecutedCall): Promise<boolean> {
  const use = call.contract.verification?.compensate;
  if (!use) return false;
  return (await compensateWith(deps, call, use, { args: call.args, result: dataOf(call.result) })).ok;
}
