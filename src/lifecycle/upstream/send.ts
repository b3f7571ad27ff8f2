import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Upstream, UpstreamCall } from '../../contract/ports/upstream.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AskWorld } from '../idempotency/idempotency.ts';
import { idempotencyKeyFor } from '../idempotency/key.ts';
import type { AuthorizedCall } from '../states.ts';
import { boundsOf, withDeadline } from './deadline.ts';
import { readableProgress } from './progress.ts';
import { withRetry } from './retry.ts';
import type { OurOwn } from './upstream-guard.ts';

/** Silence for so long is the upstream's failure, however little time the caller had; of a quick tool, half its time. */
const FAIR_MS = 1_000;

/** The only foreign effect: within the deadline, as often as is safe, and never more at a time than the upstream bears. */
export async function callUpstream(
  deps: CallDependencies,
  call: AuthorizedCall,
  askWorld: AskWorld,
): Promise<ToolResult> {
  const { contract, record } = call;
  const upstream = upstreamFor(deps, call);
  const request = requestFor(deps, call);
  // Unknown from the moment that an attempt is sent, until it is known to have done nothing.
  let effect: Fault['effect'] = 'none';
  const attempt = (signal: AbortSignal, ourOwn: OurOwn): Promise<ToolResult> =>
    askWorld(signal, async ({ intend, abandonSignal }) => {
      const effectBefore = effect;
      const beforeSend = (): Promise<void> =>
        ourOwn(async () => {
          await intend();
          // Writing the intent took its time, and the caller may have been told by now that nothing happened.
          signal.throwIfAborted();
          record.attempts++;
          effect = 'unknown';
        });
      try {
        return await upstream.call({ ...request, signal, abandonSignal, beforeSend });
      } catch (thrown) {
        if (thrown instanceof Fault && thrown.effect === 'none') effect = effectBefore;
        throw thrown;
      }
    });
  const fairMs = Math.min(FAIR_MS, TIMEOUT_MS[contract.timeoutClass] / 2);
  const guarded = (signal: AbortSignal): Promise<ToolResult> =>
    deps.guard(contract.namespace).run(signal, (ourOwn) => attempt(signal, ourOwn), fairMs);
  try {
    return await withDeadline(boundsOf(call), (signal) => withRetry(deps.retry, call, guarded, signal));
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown.with({ effect }) : thrown;
  }
}

function upstreamFor(deps: CallDependencies, { contract: { namespace } }: AuthorizedCall): Upstream {
  const upstream = deps.upstream(namespace);
  if (upstream) return upstream;
  const message = `Upstream ${namespace} is not configured any more.`;
  throw new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'none' });
}

/** What is the same for every attempt. */
function requestFor(
  deps: CallDependencies,
  call: AuthorizedCall,
): Omit<UpstreamCall, 'signal' | 'givenUp' | 'beforeSend'> {
  const { contract, record, deadline, args } = call;
  const idempotencyKey = idempotencyKeyFor(call);
  const { onProgress } = record.request;
  return {
    toolName: contract.upstreamName,
    version: contract.version,
    args,
    deadline,
    trace: record.trace,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(onProgress && { onProgress: readableProgress(onProgress, deps.firewall.secrets) }),
  };
}
