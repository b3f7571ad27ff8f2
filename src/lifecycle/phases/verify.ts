import type { CallDependencies } from '../dependencies.ts';
import { complete } from '../idempotency/idempotency.ts';
import type { ExecutedCall, VerifiedCall } from '../states.ts';
import { toCallError, toFault } from '../to-outcome.ts';
import { cacheKeyOf } from '../upstream/result-cache.ts';
import { checkOutput } from '../verification/output-schema.ts';
import { checkPostconditions } from '../verification/postconditions.ts';
import { presentResult } from './present-result.ts';

export async function verifyCall(deps: CallDependencies, call: ExecutedCall): Promise<VerifiedCall> {
  const { record, snapshot, result } = call;
  const { executedAt, source } = record.provenance!;
  if (source === 'compute') {
    await checkFresh(deps, call);
    deps.cache?.put(snapshot, cacheKeyOf(call), { result, executedAt, source });
  } else checkOutput(call);
  return { ...call, view: await presentResult(deps, call) } as VerifiedCall;
}

/**
 * What has just happened is checked against the world too; what is remembered or repeated happened in another one. The
 * key is sealed with what the checks found, so that whoever asks again is told what the first caller is told.
 */
async function checkFresh(deps: CallDependencies, call: ExecutedCall): Promise<void> {
  const { record, result } = call;
  const { executedAt, source } = record.provenance!;
  try {
    checkOutput(call);
    if (!result.isError && !record.request.internal) await checkPostconditions(deps, call);
  } catch (thrown) {
    complete(deps, call, { executedAt, source, rejection: toCallError(toFault(thrown)) });
    throw thrown;
  }
  complete(deps, call, { executedAt, source, result });
}
