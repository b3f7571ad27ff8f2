import type { CallRequest } from '../../contract/call/call-request.ts';
import type { ToolUse } from '../../contract/tool/verification.ts';
import type { CallDependencies } from '../dependencies.ts';
import { idempotencyKeyFor } from '../idempotency/key.ts';
import type { AuthorizedCall } from '../states.ts';
import { argumentsOf, dataOf, type Known } from './bindings.ts';

/** How an errand went. */
export type InternalCallResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string };

/**
 * Looks at the world with a tool that only reads, within the time of the call. Whether its caller still listens does not
 * matter: whoever asks again with the same key is told what was seen.
 */
export function readBack(
  deps: CallDependencies,
  call: AuthorizedCall,
  use: ToolUse,
  known: Known,
): Promise<InternalCallResult> {
  return run(deps, call, {
    internal: 'read_back',
    tool: use.tool,
    args: argumentsOf(use.args, known),
    deadline: call.deadline,
  });
}

/** Undoes an effect, once, with all the time that the undoing tool may take: the effect outlives its caller's patience. */
export function compensateWith(
  deps: CallDependencies,
  call: AuthorizedCall,
  use: ToolUse,
  known: Known,
): Promise<InternalCallResult> {
  return run(deps, call, {
    internal: 'compensation',
    tool: use.tool,
    args: argumentsOf(use.args, known),
    idempotencyKey: `undo ${idempotencyKeyFor(call) ?? call.record.callId}`,
  });
}

type Errand = Pick<CallRequest, 'internal' | 'tool' | 'args' | 'deadline' | 'idempotencyKey'>;

/**
 * Calls another tool on behalf of a call under way: by the road of every call, with the caller's authority and never
 * more, and with a receipt of its own. No limit counts it, and no memory answers in place of the world.
 */
async function run(
  deps: CallDependencies,
  { record }: AuthorizedCall,
  errand: Errand,
): Promise<InternalCallResult> {
  const { principal, sessionId } = record.request;
  const outcome = await deps.call(
    { ...deps, quota: undefined, cache: undefined },
    {
      ...errand,
      principal,
      surface: 'verification',
      trace: record.trace,
      ...(sessionId !== undefined && { sessionId }),
    },
  );
  if (outcome.status === 'failed') return { ok: false, code: outcome.error.code };
  if (outcome.status !== 'ok' || outcome.view.kind !== 'whole') return { ok: false, code: outcome.status };
  return { ok: true, answer: dataOf(outcome.view) };
}
