import type { Decision } from '../contract/decision.ts';
import { Fault } from '../contract/errors.ts';
import type { DryRunReport } from '../contract/outcome.ts';
import type { Principal } from '../contract/principal.ts';
import { decide } from '../governance/decide.ts';
import { ownerOf } from '../results/artifact.ts';
import { unmetPrecondition } from './checks/precondition.ts';
import { Ended } from './ended.ts';
import type { Gate } from './gate.ts';
import type { ValidatedCall } from './validate.ts';

declare const authorized: unique symbol;

/** A call that a decision lets through, with its reasons. */
export interface AuthorizedCall extends ValidatedCall {
  readonly [authorized]: true;
  readonly args: NonNullable<ValidatedCall['args']>;
  readonly decision: Decision;
}

export function authorizeCall(gate: Gate, call: ValidatedCall): AuthorizedCall {
  const { journey, contract, args } = call;
  const { principal, dryRun } = journey.arrival;
  const decision = decide(gate.rules, { principal, contract });
  journey.decision = decision;
  if (decision.effect === 'deny') {
    const reasons = decision.reasons.filter(({ effect }) => effect !== 'allow');
    throw new Fault(
      'AUTHORIZATION_DENIED',
      `Denied by ${reasons.map(({ rule, text }) => `${rule}: ${text}`).join('; ')}.`,
    );
  }
  if (decision.effect === 'ask') {
    throw new Fault(
      'APPROVAL_REQUIRED',
      'A person must approve this call, and this gateway has nobody to ask.',
    );
  }
  const unmet = unmetPrecondition(gate, call);
  if (unmet !== undefined && !dryRun) {
    throw new Fault('PRECONDITION_FAILED', `Not called, for it could not be checked afterwards: ${unmet}.`, {
      effect: 'nothing',
    });
  }
  gate.quota?.take(
    sessionOf(journey.arrival),
    ['tool_execute', `${contract.namespace}:${contract.name}`],
    dryRun || args === undefined,
  );
  if (dryRun || args === undefined) throw new Ended({ status: 'dry_run', report: rehearsal(call, unmet) });
  return { ...call, args, decision } as AuthorizedCall;
}

interface Caller {
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
}

/** Whose calls are counted together: a caller's session where it names one, else all that it does. */
export function sessionOf({ principal, sessionId }: Caller): string {
  return JSON.stringify([ownerOf(principal), sessionId ?? null]);
}

/** What would have happened, without any of it. Hints of the upstream are echoed and never believed. */
function rehearsal({ contract, args }: ValidatedCall, unmet: string | undefined): DryRunReport {
  const { readOnly, destructive, idempotent, openWorld } = contract.hints;
  return {
    dry_run: true,
    tool_id: contract.id,
    upstream_name: contract.upstreamName,
    args_valid: args === undefined ? null : true,
    annotations: {
      ...(readOnly !== undefined && { readOnlyHint: readOnly }),
      ...(destructive !== undefined && { destructiveHint: destructive }),
      ...(idempotent !== undefined && { idempotentHint: idempotent }),
      ...(openWorld !== undefined && { openWorldHint: openWorld }),
      verified: false,
    },
    mutation: contract.mutation,
    predicted_side_effects: contract.sideEffects,
    ...(Object.keys(contract.cost).length > 0 && { estimated_cost: contract.cost }),
    idempotency_key: contract.idempotency.key,
    checks: [
      { name: 'schema_validation', status: args === undefined ? 'skipped' : 'pass' },
      { name: 'authorization', status: 'pass' },
      { name: 'rate_limit', status: 'pass' },
      unmet === undefined
        ? { name: 'preconditions', status: 'pass' }
        : { name: 'preconditions', status: 'fail', reason: unmet },
    ],
    ...(args === undefined && { input_schema: contract.inputSchema }),
  };
}
