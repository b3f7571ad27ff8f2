import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Upstream, UpstreamCall } from '../../contract/ports/upstream.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { Gate } from '../dependencies.ts';
import { type AskWorld, keyForUpstream } from '../idempotency/idempotency.ts';
import type { AuthorizedCall } from '../phases/authorize.ts';
import { boundsOf, withinDeadline } from './deadline.ts';
import { readableProgress } from './progress.ts';
import { repeated } from './retry.ts';
import type { OurOwn } from './upstream-guard.ts';

/** Silence for so long is the upstream's failure, however little time the caller had; of a quick tool, half its time. */
const FAIR_MS = 1_000;

/** The only foreign effect: within the deadline, as often as is safe, and never more at a time than the upstream bears. */
export async function dispatch(gate: Gate, call: AuthorizedCall, askWorld: AskWorld): Promise<ToolResult> {
  const { contract, journey } = call;
  const upstream = upstreamFor(gate, call);
  const request = requestFor(gate, call);
  // Unknown from the moment that an attempt is sent, until it is known to have done nothing.
  let effect: Fault['effect'] = 'nothing';
  const attempt = (signal: AbortSignal, ourOwn: OurOwn): Promise<ToolResult> =>
    askWorld(signal, async ({ intend, givenUp }) => {
      const effectBefore = effect;
      const beforeSend = (): Promise<void> =>
        ourOwn(async () => {
          await intend();
          // Writing the intent took its time, and the caller may have been told by now that nothing happened.
          signal.throwIfAborted();
          journey.attempts++;
          effect = 'unknown';
        });
      try {
        return await upstream.call({ ...request, signal, givenUp, beforeSend });
      } catch (thrown) {
        if (thrown instanceof Fault && thrown.effect === 'nothing') effect = effectBefore;
        throw thrown;
      }
    });
  const fairMs = Math.min(FAIR_MS, TIMEOUT_MS[contract.timeoutClass] / 2);
  const guarded = (signal: AbortSignal): Promise<ToolResult> =>
    gate.guard(contract.namespace).run(signal, (ourOwn) => attempt(signal, ourOwn), fairMs);
  try {
    return await withinDeadline(boundsOf(call), (signal) => repeated(gate.retry, call, guarded, signal));
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown.with({ effect }) : thrown;
  }
}

function upstreamFor(gate: Gate, { contract: { namespace } }: AuthorizedCall): Upstream {
  const upstream = gate.upstream(namespace);
  if (upstream) return upstream;
  const message = `Upstream ${namespace} is not configured any more.`;
  throw new Fault('UPSTREAM_UNAVAILABLE', message, { effect: 'nothing' });
}

/** What is the same for every attempt. */
function requestFor(
  gate: Gate,
  call: AuthorizedCall,
): Omit<UpstreamCall, 'signal' | 'givenUp' | 'beforeSend'> {
  const { contract, journey, deadline, args } = call;
  const idempotencyKey = keyForUpstream(call);
  const { onProgress } = journey.arrival;
  return {
    toolName: contract.upstreamName,
    version: contract.version,
    args,
    deadline,
    trace: journey.trace,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(onProgress && { onProgress: readableProgress(onProgress, gate.firewall.secrets) }),
  };
}
