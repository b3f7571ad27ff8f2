import type { ToolResult } from '../contract/content.ts';
import { Fault } from '../contract/errors.ts';
import type { AuthorizedCall } from './authorize.ts';
import { withinDeadline } from './deadline.ts';
import type { Gate } from './gate.ts';

declare const executed: unique symbol;

/** A call that the upstream has answered. Whatever comes after, the effect has happened. */
export interface ExecutedCall extends AuthorizedCall {
  readonly [executed]: true;
  readonly result: ToolResult;
}

export async function executeCall(gate: Gate, call: AuthorizedCall): Promise<ExecutedCall> {
  const { contract, journey, deadline, args } = call;
  const { trace, signal: callersSignal, onProgress } = journey.arrival;
  const upstream = gate.upstream(contract.namespace);
  if (!upstream)
    throw new Fault('UPSTREAM_UNAVAILABLE', `Upstream ${contract.namespace} is not configured any more.`);
  const result = await withinDeadline({ deadline, signal: callersSignal }, (signal) =>
    upstream.call({
      toolName: contract.upstreamName,
      version: contract.version,
      args,
      signal,
      deadline,
      trace,
      ...(onProgress && { onProgress }),
    }),
  );
  journey.provenance = {
    toolId: contract.id,
    upstream: contract.namespace,
    source: 'upstream',
    executedAt: new Date().toISOString(),
  };
  return { ...call, result } as ExecutedCall;
}
