import { Fault } from '../../contract/errors/fault.ts';
import type { ToolUse } from '../../contract/tool/verification.ts';
import { decide } from '../../governance/decide.ts';
import type { CallDependencies } from '../dependencies.ts';
import { contractFor } from '../resolve-tool.ts';
import type { RequestedCall } from '../states.ts';

/** Refuses, while nothing has happened yet, what could not be checked once it has. */
export function requirePreconditions(deps: CallDependencies, call: RequestedCall): void {
  const unmet = unmetPrecondition(deps, call);
  if (unmet === undefined) return;
  throw new Fault('PRECONDITION_FAILED', `Not called, for it could not be checked afterwards: ${unmet}.`, {
    effect: 'none',
  });
}

/** Why a call could not be checked; undefined where it could. */
export function unmetPrecondition(deps: CallDependencies, call: RequestedCall): string | undefined {
  const { verification } = call.contract;
  if (!verification || call.record.request.internal) return undefined;
  const { readBack, probe, compensate } = verification;
  return (
    obstacle(deps, call, readBack, 'reads') ??
    obstacle(deps, call, probe, 'reads') ??
    obstacle(deps, call, compensate, 'writes')
  );
}

/** Says no name: the caller may not know of the tool. */
function obstacle(
  deps: CallDependencies,
  { snapshot, record }: RequestedCall,
  use: ToolUse | undefined,
  may: 'reads' | 'writes',
): string | undefined {
  if (!use) return undefined;
  const { principal } = record.request;
  try {
    const contract = contractFor(deps, snapshot, { principal, tool: use.tool });
    if (may === 'reads' && contract.mutation !== 'read_only')
      return 'a tool that its checks look with is one that writes';
    return decide(deps.rules, { principal, contract }).effect === 'allow'
      ? undefined
      : 'a tool that its checks need may not be used by this caller';
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return 'a tool that its checks need is not there';
  }
}
