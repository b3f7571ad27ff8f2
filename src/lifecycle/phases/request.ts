import { Fault } from '../../contract/errors/fault.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { CallRecord } from '../call-record.ts';
import type { CallDependencies } from '../dependencies.ts';
import { contractFor } from '../resolve-tool.ts';
import type { RequestedCall } from '../states.ts';

export function requestCall(deps: CallDependencies, record: CallRecord): RequestedCall {
  const { deadline: callersDeadline, internal } = record.request;
  const { snapshot } = deps.catalog;
  const contract = contractFor(deps, snapshot, record.request);
  record.contract = contract;
  if (contract.operation === 'subscription') {
    throw new Fault(
      'WRONG_OPERATION_TYPE',
      'This tool answers with a stream and cannot be called for one result.',
    );
  }
  if (internal === 'read_back' && contract.mutation !== 'read_only') {
    throw new Fault('PRECONDITION_FAILED', 'A check may only look, and this tool writes.', {
      effect: 'none',
    });
  }
  const deadline = Math.min(
    Date.now() + TIMEOUT_MS[contract.timeoutClass],
    callersDeadline ?? Number.POSITIVE_INFINITY,
  );
  return { record, snapshot, contract, deadline } as RequestedCall;
}
