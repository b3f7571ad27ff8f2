import type { CallRequest } from '../contract/call/call-request.ts';
import type { CallOrigin } from './call-record.ts';
import type { CallDependencies, InternalCalls } from './dependencies.ts';
import { invoke } from './invoke.ts';
import type { AuthorizedCall, InternalCallResult } from './states.ts';
import { argumentsOf, dataOf } from './verification/bindings.ts';

/** Separate from its interface to avoid an import cycle: the phases that use it are part of `invoke`. */
export const internalCalls: InternalCalls = {
  readBack: (deps, { call, use, known }) =>
    invokeInternally(deps, call, 'check', {
      tool: use.tool,
      args: argumentsOf(use.args, known),
      deadline: call.deadline,
    }),
  compensate: (deps, { call, use, known }) =>
    invokeInternally(deps, call, 'step', {
      tool: use.tool,
      args: argumentsOf(use.args, known),
      idempotencyKey: `undo ${call.effectKey ?? call.record.callId}`,
    }),
};

async function invokeInternally(
  deps: CallDependencies,
  { run, record }: AuthorizedCall,
  origin: CallOrigin,
  request: Pick<CallRequest, 'tool' | 'args' | 'deadline' | 'idempotencyKey'>,
): Promise<InternalCallResult> {
  const outcome = await invoke(
    { ...deps, cache: undefined },
    { ...request, caller: { ...record.request.caller, trace: run.trace, surface: 'verification' } },
    { origin },
  );
  if (outcome.status === 'failed') return { ok: false, code: outcome.error.code };
  if (outcome.status !== 'ok' || outcome.view.kind !== 'whole') return { ok: false, code: outcome.status };
  return { ok: true, answer: dataOf(outcome.view) };
}
