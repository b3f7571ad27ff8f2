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
import { cacheKeyOf, type ExecutedCall } from './execute.ts';
import type { Gate } from './gate.ts';
import { type Kept, seal } from './once.ts';

declare const verified: unique symbol;

/** A call whose answer keeps the contract and is fit to be read. */
export interface VerifiedCall extends ExecutedCall {
  readonly [verified]: true;
  readonly view: ResultView;
}

const MAX_RESULT_DEPTH = 256;

export async function verifyCall(gate: Gate, call: ExecutedCall): Promise<VerifiedCall> {
  const { journey, result, contract, snapshot } = call;
  try {
    await check(gate, call);
  } catch (thrown) {
    sealChecked(gate, call, thrown);
    throw thrown;
  }
  sealChecked(gate, call);
  if (journey.provenance!.source === 'upstream') gate.cache?.put(snapshot, cacheKeyOf(call), keptOf(call));
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
  return { ...call, view: await redactView(view, gate.firewall.secrets) } as VerifiedCall;
}

async function check(gate: Gate, call: ExecutedCall): Promise<void> {
  if (sizeOf(call.result.structured).depth > MAX_RESULT_DEPTH) {
    throw new Fault(
      'UPSTREAM_FAILURE',
      'The tool ran, and answered with data that is nested too deep to read.',
    );
  }
  if (call.result.isError) return;
  checkOutput(call);
  await checkWorld(gate, call);
}

/** Only what has just happened is checked against the world: what is remembered or repeated happened in another one. */
async function checkWorld(gate: Gate, call: ExecutedCall): Promise<void> {
  const { journey, contract } = call;
  if (journey.provenance!.source !== 'upstream') return;
  await tellIfStateChanged(gate, call, call.stateBefore);
  const why = await inconsistencyOf(gate, call);
  if (why === undefined) return;
  const undone = await compensate(gate, call);
  gate.events.publish({ type: 'violation', callId: journey.callId, toolId: contract.id, what: why });
  const message = `The tool ran, but ${why}; ${undone ? 'its effect was undone' : 'its effect was not undone'}.`;
  throw new Fault('INTERNAL_TOOL_ERROR', message, { details: { inconsistent: why, compensated: undone } });
}

/** A result that has checks of its own is sealed when they are done, with what they found: nobody is told before that. */
function sealChecked(gate: Gate, call: ExecutedCall, thrown?: unknown): void {
  const { journey, contract, result } = call;
  if (!contract.verification || result.isError || journey.provenance!.source !== 'upstream') return;
  const disbelieved = thrown instanceof Fault ? thrown.message : undefined;
  seal(gate, call, { ...keptOf(call), ...(disbelieved !== undefined && { disbelieved }) });
}

function keptOf({ journey, result }: ExecutedCall): Kept {
  const { executedAt, source } = journey.provenance!;
  return { result, executedAt, source };
}

function checkOutput({ contract, result, isSettled }: ExecutedCall): void {
  const { outputSchema } = contract;
  if (!outputSchema || isSettled) return;
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
