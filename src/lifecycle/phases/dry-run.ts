import type { DryRunReport } from '../../contract/call/outcome.ts';
import { TIMEOUT_MS } from '../../contract/tool/timeout-class.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { Remaining } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ValidatedCall } from '../states.ts';
import { unmetPrecondition } from '../verification/preconditions.ts';

/** What the decision and the counts said of a call that is not made. */
export interface DryRunFindings {
  readonly needsApproval: boolean;
  readonly remaining: readonly Remaining[];
}

/** What would have happened, without any of it. Hints of the upstream are echoed and never believed. */
export function dryRunReport(
  deps: CallDependencies,
  call: ValidatedCall,
  { needsApproval, remaining }: DryRunFindings,
): DryRunReport {
  const { contract, args } = call;
  return {
    dry_run: true,
    tool_id: contract.id,
    upstream_name: contract.upstreamName,
    args_valid: args === undefined ? null : true,
    annotations: annotationsOf(contract),
    mutation: contract.mutation,
    predicted_side_effects: contract.sideEffects,
    estimated_impact: impactOf(contract),
    ...(Object.keys(contract.cost).length > 0 && { estimated_cost: contract.cost }),
    idempotency_key: contract.idempotency.key,
    approval: needsApproval ? 'required' : 'not_required',
    timeout: { class: contract.timeoutClass, max_ms: TIMEOUT_MS[contract.timeoutClass] },
    ...(remaining.length > 0 && { quota_left: remaining }),
    checks: [
      { name: 'schema_validation', status: args === undefined ? 'skipped' : 'pass' },
      { name: 'authorization', status: 'pass' },
      { name: 'rate_limit', status: 'pass' },
      checkOf('preconditions', unmetPrecondition(deps, call)),
      checkOf('upstream', troubleOf(deps, contract)),
    ],
    ...(args === undefined && { input_schema: contract.inputSchema }),
  };
}

function annotationsOf({ hints }: ToolContract): DryRunReport['annotations'] {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  return {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
    verified: false,
  };
}

const EFFECTS = {
  read_only: 'none',
  write_reversible: 'reversible',
  write_irreversible: 'irreversible',
} as const;

/** As the class of the tool has it, and whether anybody stated that class or a profile assumed it. */
function impactOf({
  mutation,
  filledByProfile,
  verification,
}: ToolContract): DryRunReport['estimated_impact'] {
  return {
    effect: EFFECTS[mutation],
    stated: !filledByProfile.includes('mutation'),
    checked_afterwards: verification?.readBack !== undefined || verification?.integrity !== undefined,
    undone_if_wrong: verification?.compensate !== undefined,
  };
}

function troubleOf({ upstream, guard }: CallDependencies, { namespace }: ToolContract): string | undefined {
  const state = upstream(namespace)?.state.kind ?? 'not configured';
  if (state !== 'ready') return state;
  return guard(namespace).state.circuit === 'open' ? 'left alone for a while' : undefined;
}

function checkOf(name: string, trouble: string | undefined): DryRunReport['checks'][number] {
  return trouble === undefined ? { name, status: 'pass' } : { name, status: 'fail', reason: trouble };
}
