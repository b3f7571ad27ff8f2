import type { Decision } from '../../contract/call/decision.ts';
import type { Principal } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { decide } from '../../governance/decide.ts';
import type { Whose } from '../../governance/quota.ts';
import { ownerOf } from '../../results/artifacts/artifact.ts';
import type { Gate } from '../dependencies.ts';
import { Ended } from '../early-outcome.ts';
import { rehearsal } from './dry-run.ts';
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
  const decision = decide(gate.rules, { principal: journey.arrival.principal, contract });
  journey.decision = decision;
  if (decision.effect === 'deny') {
    const reasons = decision.reasons.filter(({ effect }) => effect !== 'allow');
    throw new Fault(
      'AUTHORIZATION_DENIED',
      `Denied by ${reasons.map(({ rule, text }) => `${rule}: ${text}`).join('; ')}.`,
    );
  }
  const needsApproval = decision.effect === 'ask';
  const whose = whoseCalls(journey.arrival);
  const scopes = ['tool_execute', `${contract.namespace}:${contract.name}`];
  if (journey.arrival.dryRun || args === undefined) {
    gate.quota?.take(whose, scopes, true);
    const left = gate.quota?.left(whose, scopes) ?? [];
    throw new Ended({ status: 'dry_run', report: rehearsal(gate, call, { needsApproval, left }) });
  }
  if (needsApproval) {
    throw new Fault(
      'APPROVAL_REQUIRED',
      'A person must approve this call, and this gateway has nobody to ask.',
    );
  }
  gate.quota?.take(whose, scopes);
  return { ...call, args, decision } as AuthorizedCall;
}

interface Caller {
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
}

/** For whom a call is counted. */
export function whoseCalls(by: Caller): Whose {
  return { caller: ownerOf(by.principal), session: sessionOf(by) };
}

/** What belongs together: a caller's session where it names one, else all that it does. */
export function sessionOf({ principal, sessionId }: Caller): string {
  return JSON.stringify([ownerOf(principal), sessionId ?? null]);
}
