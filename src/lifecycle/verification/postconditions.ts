import { Fault } from '../../contract/errors/fault.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';
import { dataOf } from './bindings.ts';
import { findDiscrepancy } from './read-back.ts';
import { reportIfStateChanged } from './state-probe.ts';

/** Compares a result with the target system, where the contract defines how. An effect that is found wrong is compensated. */
export async function checkPostconditions(deps: CallDependencies, call: ExecutedCall): Promise<void> {
  await reportIfStateChanged(deps, call, call.stateBefore);
  const discrepancy = await findDiscrepancy(deps, call);
  if (!discrepancy) return;
  const { kind, reason } = discrepancy;
  throw kind === 'mismatch' ? await compensated(deps, call, reason) : unverifiable(call, reason);
}

async function compensated(deps: CallDependencies, call: ExecutedCall, reason: string): Promise<Fault> {
  const isCompensated = await compensate(deps, call);
  call.run.reportViolation(call.contract.id, reason);
  const message = `The tool ran, but ${reason}; its effect was ${isCompensated ? '' : 'not '}undone.`;
  return new Fault('INTERNAL_TOOL_ERROR', message, {
    details: { inconsistent: reason, compensated: isCompensated },
  });
}

/** No mismatch was found, so the effect may be correct and is not undone. */
function unverifiable({ run }: ExecutedCall, reason: string): Fault {
  const fault = new Fault(
    'INTERNAL_TOOL_ERROR',
    `The tool ran, but its effect could not be verified (${reason}); the effect was not undone.`,
    { details: { unchecked: reason, compensated: false } },
  );
  run.reportTrouble('effect not verified', fault);
  return fault;
}

async function compensate(deps: CallDependencies, call: ExecutedCall): Promise<boolean> {
  const use = call.contract.verification?.compensate;
  if (!use) return false;
  const known = { args: call.input.args, result: dataOf(call.result) };
  return (await deps.internalCalls.compensate(deps, { call, use, known })).ok;
}
