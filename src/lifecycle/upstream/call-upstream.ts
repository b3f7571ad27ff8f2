import { Fault } from '../../contract/errors/fault.ts';
import {
  NotDelivered,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../../contract/ports/upstream.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { Claim } from '../idempotency/claim.ts';
import type { AuthorizedCall } from '../states.ts';
import { boundsOf, withDeadline } from './deadline.ts';
import { sanitizeProgress } from './progress.ts';
import { withRetry } from './retry.ts';
import type { UpstreamClock } from './upstream-guard.ts';

/** An upstream that was silent for less than this is not blamed for a deadline; for a quick tool, half of its time. */
const MIN_WAIT_TO_BLAME_MS = 1_000;

/** Has the only effect outside the gateway: within the deadline, with safe retries, under the guard of the upstream. */
export async function callUpstream(
  deps: CallDependencies,
  call: AuthorizedCall,
  claim: Claim,
): Promise<UpstreamAnswer> {
  const { contract, record, handles } = call;
  const { caller } = record.request;
  const upstream = upstreamOf(deps, call);
  const guard = deps.guard(contract.namespace);
  const request = requestOf(deps, call);
  const minWaitToBlameMs = Math.min(MIN_WAIT_TO_BLAME_MS, TIMEOUT_MS[contract.timeoutClass] / 2);
  // Unknown from the first byte of an attempt, until that attempt is known to have had no effect.
  let effect: Fault['effect'] = 'none';

  const send = async (signal: AbortSignal, clock: UpstreamClock): Promise<UpstreamAnswer> => {
    const session = await clock.measure(upstream.session(caller, signal));
    await claim.recordIntent();
    // Recording the intent took time: the caller may have been answered meanwhile that nothing happened.
    signal.throwIfAborted();
    const effectBefore = effect;
    effect = 'unknown';
    record.attempts++;
    const answer = session.callTool(request, { signal, abandonSignal: claim.abandonSignal(signal) });
    claim.track(answer);
    try {
      return await clock.measure(answer);
    } catch (error) {
      if (error instanceof Fault && error.effect === 'none') effect = effectBefore;
      throw error;
    }
  };

  try {
    return await withDeadline(boundsOf(call), (signal) =>
      withRetry({ policy: deps.retry, call, signal }, () =>
        guard.run({ signal, minWaitToBlameMs, caller, callerSignal: handles.signal }, (clock) =>
          resendUndelivered(() => send(signal, clock)),
        ),
      ),
    );
  } catch (error) {
    throw error instanceof Fault ? error.with({ effect }) : error;
  }
}

/** A connection that was found dead costs no attempt: the call is sent once more, on a new one. */
async function resendUndelivered<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof NotDelivered)) throw error;
    return send();
  }
}

function upstreamOf(deps: CallDependencies, { contract: { namespace } }: AuthorizedCall): Upstream {
  const upstream = deps.upstream(namespace);
  if (upstream) return upstream;
  throw new Fault('UPSTREAM_UNAVAILABLE', `Upstream ${namespace} is no longer configured.`, {
    effect: 'none',
  });
}

function requestOf(deps: CallDependencies, call: AuthorizedCall): UpstreamRequest {
  const { contract, run, handles, deadline, input, effectKey } = call;
  const { onProgress } = handles;
  return {
    toolName: contract.upstreamName,
    version: contract.version,
    args: input.args,
    deadline,
    trace: run.trace,
    ...(effectKey !== undefined && { idempotencyKey: effectKey }),
    ...(onProgress && { onProgress: sanitizeProgress(onProgress, deps.firewall.secrets) }),
  };
}
