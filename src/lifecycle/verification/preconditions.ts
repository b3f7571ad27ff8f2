import { Fault } from '../../contract/errors/fault.ts';
import type { ToolUse } from '../../contract/tool/verification.ts';
import { type CallRecord, isInternal } from '../call-record.ts';
import type { CallDependencies } from '../dependencies.ts';
import { resolveTool } from '../resolve-tool.ts';
import type { RequestedCall } from '../states.ts';

/** Refuses a call that could not be verified, while nothing has happened yet. */
export function requirePreconditions(deps: CallDependencies, call: RequestedCall): void {
  const unmet = unmetPrecondition(deps, call);
  if (unmet === undefined) return;
  throw new Fault('PRECONDITION_FAILED', `Not called, because its effect could not be verified: ${unmet}.`, {
    effect: 'none',
  });
}

/** Why a call could not be verified; undefined where it could. */
export function unmetPrecondition(deps: CallDependencies, call: RequestedCall): string | undefined {
  const { verification } = call.contract;
  if (!verification || isInternal(call.record)) return undefined;
  const { readBack, probe, compensate } = verification;
  return (
    obstacleTo(deps, call, { use: readBack, origin: 'check' }) ??
    obstacleTo(deps, call, { use: probe, origin: 'check' }) ??
    obstacleTo(deps, call, { use: compensate, origin: 'step' })
  );
}

/** The reason names no tool, because the caller may not be allowed to see it. */
function obstacleTo(
  deps: CallDependencies,
  { snapshot, record }: RequestedCall,
  { use, origin }: { readonly use: ToolUse | undefined; readonly origin: CallRecord['origin'] },
): string | undefined {
  if (!use) return undefined;
  const request = { ...record.request, tool: use.tool };
  try {
    const contract = resolveTool(deps, snapshot, { record: { origin, request, facts: {} } });
    if (origin === 'check' && contract.mutation !== 'read_only')
      return 'a verification tool is not read-only';
    return deps.policy.decide(request.caller, contract).call.effect === 'allow'
      ? undefined
      : 'the caller may not use a verification tool';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return 'a verification tool does not exist';
  }
}
