import { isInternal } from '../call-record.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall, InternalCallResult } from '../states.ts';
import { isSame } from './bindings.ts';

/** The state that a tool may change, where its contract names a probe for it. */
export async function probeState(
  deps: CallDependencies,
  call: AuthorizedCall,
): Promise<InternalCallResult | undefined> {
  const { contract, record, input } = call;
  const use = isInternal(record) ? undefined : contract.verification?.probe;
  if (!use) return undefined;
  return deps.internalCalls.readBack(deps, { call, use, known: { args: input.args, result: undefined } });
}

/** A read-only tool that changed the state violates its contract. The caller has its answer; an operator must know. */
export async function reportIfStateChanged(
  deps: CallDependencies,
  call: AuthorizedCall,
  before: InternalCallResult | undefined,
): Promise<void> {
  if (!before?.ok || call.contract.mutation !== 'read_only') return;
  const after = await probeState(deps, call);
  if (!after?.ok || isSame(before.answer, after.answer)) return;
  call.run.reportViolation(call.contract.id, 'a read-only tool changed the state');
}
