import { SchemaUnusable, schemaCheck } from '../catalog/schema/compile.ts';
import { Fault } from '../contract/errors.ts';
import { sizeOf } from '../contract/json.ts';
import type { ResultView } from '../contract/outcome.ts';
import { ownerOf } from '../results/artifact.ts';
import { shield } from '../results/firewall.ts';
import { redactResult } from '../results/redaction/redact-result.ts';
import { redactView } from '../results/redaction/redact-view.ts';
import { compensate, inconsistencyOf } from './checks/inconsistent.ts';
import { tellIfStateChanged } from './checks/probe.ts';
import type { ExecutedCall } from './execute.ts';
import type { Gate } from './gate.ts';
import { disbelieve } from './once.ts';

declare const verified: unique symbol;

/** A call whose answer keeps the contract and is fit to be read. */
export interface VerifiedCall extends ExecutedCall {
  readonly [verified]: true;
  readonly view: ResultView;
}

const MAX_RESULT_DEPTH = 256;

export async function verifyCall(gate: Gate, call: ExecutedCall): Promise<VerifiedCall> {
  const { journey, result, contract } = call;
  if (sizeOf(result.structured).depth > MAX_RESULT_DEPTH) {
    throw new Fault(
      'UPSTREAM_FAILURE',
      'The tool ran, and answered with data that is nested too deep to read.',
    );
  }
  if (!result.isError) {
    checkOutput(call);
    await checkWorld(gate, call);
  }
  const clean = await redactResult(result, gate.firewall.secrets, contract.outputSchema);
  const { view, unstored } = await shield(gate.firewall, ownerOf(journey.arrival.principal), clean);
  if (unstored !== undefined) {
    gate.events.publish({
      type: 'trouble',
      callId: journey.callId,
      what: 'artifacts not stored',
      cause: unstored,
    });
  }
  return { ...call, view: redactView(view, gate.firewall.secrets) } as VerifiedCall;
}

/** Only what has just happened is checked against the world: what is remembered or repeated happened in another one. */
async function checkWorld(gate: Gate, call: ExecutedCall): Promise<void> {
  const { source, executedAt } = call.journey.provenance!;
  if (source !== 'upstream') return;
  await tellIfStateChanged(gate, call, call.stateBefore);
  const why = await inconsistencyOf(gate, call);
  if (why === undefined) return;
  const undone = await compensate(gate, call);
  const message = `The tool ran, but ${why}; ${undone ? 'its effect was undone' : 'its effect was not undone'}.`;
  await disbelieve(gate, call, { result: call.result, executedAt, source, disbelieved: message });
  gate.events.publish({
    type: 'violation',
    callId: call.journey.callId,
    toolId: call.contract.id,
    what: why,
  });
  throw new Fault('INTERNAL_TOOL_ERROR', message, { details: { inconsistent: why, compensated: undone } });
}

function checkOutput({ contract, result }: ExecutedCall): void {
  const { outputSchema } = contract;
  if (!outputSchema) return;
  if (result.structured === undefined) {
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      'The tool ran, but its answer lacks the structured output that it promises.',
    );
  }
  try {
    const violations = schemaCheck(outputSchema, 'first')(result.structured);
    if (violations.length === 0) return;
    throw new Fault('INTERNAL_TOOL_ERROR', 'The tool ran, but its output does not fit its own schema.', {
      details: { errors: violations },
    });
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      `The tool ran, but its output cannot be checked: ${thrown.message}.`,
    );
  }
}
