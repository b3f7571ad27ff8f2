import { Fault } from '../../contract/errors/fault.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { CallRun } from '../call-run.ts';
import type { CallDependencies } from '../dependencies.ts';
import { effectKeyOf } from '../idempotency/effect-key.ts';
import { resolveTool } from '../resolve-tool.ts';
import type { RequestedCall } from '../states.ts';

/** Resolves the tool among those that the caller may see, and sets the deadline. */
export function requestCall(deps: CallDependencies, run: CallRun): RequestedCall {
  const { record, handles } = run;
  const { request, origin } = record;
  const { snapshot } = deps.catalog;
  const contract = resolveTool(deps, snapshot, run);
  record.facts.contract = contract;
  if (contract.operation === 'subscription') {
    throw new Fault(
      'WRONG_OPERATION_TYPE',
      'This tool answers with a stream and cannot be called for one result.',
    );
  }
  if (origin === 'check' && contract.mutation !== 'read_only') {
    throw new Fault('PRECONDITION_FAILED', 'A check may only use a read-only tool, and this tool writes.', {
      effect: 'none',
    });
  }
  const deadline = Math.min(
    Date.now() + TIMEOUT_MS[contract.timeoutClass],
    request.deadline ?? Number.POSITIVE_INFINITY,
  );
  const effectKey = effectKeyOf(request, contract);
  return { run, record, handles, snapshot, contract, deadline, effectKey } as RequestedCall;
}
