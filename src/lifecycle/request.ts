import { Fault } from '../contract/errors.ts';
import { TIMEOUT_MS } from '../contract/timeout-class.ts';
import type { ToolContract } from '../contract/tool.ts';
import type { Gate } from './gate.ts';
import type { Journey } from './journey.ts';

declare const requested: unique symbol;

/** A call whose tool exists for its caller, with the time it may take. */
export interface RequestedCall {
  readonly [requested]: true;
  readonly journey: Journey;
  readonly contract: ToolContract;
  /** Epoch milliseconds: the class's maximum or what the caller has left, whichever is sooner. */
  readonly deadline: number;
}

export function requestCall(gate: Gate, journey: Journey): RequestedCall {
  const { principal, tool, deadline: callersDeadline } = journey.arrival;
  const snapshot = gate.catalog.snapshot;
  const contract = snapshot.resolve(tool);
  if (!contract || !gate.maySee({ principal, contract })) {
    const refusal = snapshot.refusal(tool);
    if (refusal) throw new Fault('SCHEMA_INVALID', `This tool was refused when it was read: ${refusal}`);
    throw new Fault('TOOL_NOT_FOUND', 'No such tool. Browse for one: the catalog may have changed.');
  }
  journey.contract = contract;
  if (contract.operation === 'subscription') {
    throw new Fault(
      'WRONG_OPERATION_TYPE',
      'This tool answers with a stream and cannot be called for one result.',
    );
  }
  const deadline = Math.min(
    Date.now() + TIMEOUT_MS[contract.timeoutClass],
    callersDeadline ?? Number.POSITIVE_INFINITY,
  );
  return { journey, contract, deadline } as RequestedCall;
}
