import { plainValue } from '../../base/json/plain-value.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { DryRunReport } from '../../contract/call/outcome.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { Remaining } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ValidatedCall } from '../states.ts';
import { unmetPrecondition } from '../verification/preconditions.ts';

export interface DryRunFindings {
  readonly needsApproval: boolean;
  readonly remaining: readonly Remaining[];
}

/** What the call would do, without doing it. Hints of the upstream are reported as unverified. */
export function dryRunReport(
  deps: CallDependencies,
  call: ValidatedCall,
  { needsApproval, remaining }: DryRunFindings,
): DryRunReport {
  const { contract, input } = call;
  return {
    toolId: contract.id,
    upstreamName: plainLine(contract.upstreamName),
    areArgsValid: input === undefined ? null : true,
    hints: contract.hints,
    mutation: contract.mutation,
    sideEffects: contract.sideEffects,
    impact: impactOf(contract),
    cost: contract.cost,
    idempotencyKey: contract.idempotency.key,
    needsApproval,
    timeoutClass: contract.timeoutClass,
    quotaRemaining: remaining,
    checks: [
      { name: 'schema_validation', status: input === undefined ? 'skipped' : 'pass' },
      { name: 'authorization', status: 'pass' },
      { name: 'rate_limit', status: 'pass' },
      checkOf('preconditions', unmetPrecondition(deps, call)),
      checkOf('upstream', upstreamProblem(deps, contract)),
    ],
    ...(input === undefined && mayDescribe(deps, call) && descriptionOf(contract)),
  };
}

const EFFECTS = {
  read_only: 'none',
  write_reversible: 'reversible',
  write_irreversible: 'irreversible',
} as const;

function impactOf({ mutation, filledByProfile, verification }: ToolContract): DryRunReport['impact'] {
  return {
    effect: EFFECTS[mutation],
    isDeclared: !filledByProfile.includes('mutation'),
    isVerifiedAfterwards: verification?.readBack !== undefined || verification?.integrity !== undefined,
    isCompensatedIfWrong: verification?.compensate !== undefined,
  };
}

/**
 * A card shortens the description, so this is where an agent reads all of it. Only what is shown is sanitized: arguments
 * are validated against the schema of the upstream.
 */
function descriptionOf({
  description,
  inputSchema,
}: ToolContract): Pick<DryRunReport, 'description' | 'inputSchema'> {
  return { ...(description !== '' && { description }), inputSchema: plainValue(inputSchema) };
}

function mayDescribe({ policy }: CallDependencies, { record, contract }: ValidatedCall): boolean {
  return policy.decide(record.request.caller, contract).describe;
}

function upstreamProblem(
  { upstream, guard }: CallDependencies,
  { namespace }: ToolContract,
): string | undefined {
  const state = upstream(namespace)?.state.kind ?? 'not configured';
  if (state !== 'ready') return state;
  return guard(namespace).state.circuit === 'open' ? 'circuit open' : undefined;
}

function checkOf(name: string, problem: string | undefined): DryRunReport['checks'][number] {
  return problem === undefined ? { name, status: 'pass' } : { name, status: 'fail', reason: problem };
}
