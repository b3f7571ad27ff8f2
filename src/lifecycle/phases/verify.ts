import type { ResultView } from '../../contract/call/outcome.ts';
import type { Gate } from '../dependencies.ts';
import { seal } from '../idempotency/idempotency.ts';
import { callError, faultOf } from '../to-outcome.ts';
import { checkOutput } from '../verification/output-schema.ts';
import { checkWorld } from '../verification/postconditions.ts';
import { cacheKeyOf, type ExecutedCall } from './execute.ts';
import { show } from './present-result.ts';

declare const verified: unique symbol;

/** A call whose answer keeps the contract and is fit to be read. */
export interface VerifiedCall extends ExecutedCall {
  readonly [verified]: true;
  readonly view: ResultView;
}

export async function verifyCall(gate: Gate, call: ExecutedCall): Promise<VerifiedCall> {
  const { journey, snapshot, result } = call;
  const { executedAt, source } = journey.provenance!;
  if (source === 'compute') {
    await checkFresh(gate, call);
    gate.cache?.put(snapshot, cacheKeyOf(call), { result, executedAt, source });
  } else checkOutput(call);
  return { ...call, view: await show(gate, call) } as VerifiedCall;
}

/**
 * What has just happened is checked against the world too; what is remembered or repeated happened in another one. The
 * key is sealed with what the checks found, so that whoever asks again is told what the first caller is told.
 */
async function checkFresh(gate: Gate, call: ExecutedCall): Promise<void> {
  const { journey, result } = call;
  const { executedAt, source } = journey.provenance!;
  try {
    checkOutput(call);
    if (!result.isError && !journey.arrival.errand) await checkWorld(gate, call);
  } catch (thrown) {
    seal(gate, call, { executedAt, source, disbelieved: callError(faultOf(thrown)) });
    throw thrown;
  }
  seal(gate, call, { executedAt, source, result });
}
