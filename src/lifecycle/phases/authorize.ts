import type { Principal } from '../../contract/call/principal.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { decide } from '../../governance/decide.ts';
import type { QuotaSubject } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';
import { EarlyOutcome } from '../early-outcome.ts';
import type { AuthorizedCall, ValidatedCall } from '../states.ts';
import { dryRunReport } from './dry-run.ts';

export function authorizeCall(deps: CallDependencies, call: ValidatedCall): AuthorizedCall {
  const { record, contract, args } = call;
  const decision = decide(deps.rules, { principal: record.request.principal, contract });
  record.decision = decision;
  if (decision.effect === 'deny') {
    const reasons = decision.reasons.filter(({ effect }) => effect !== 'allow');
    throw new Fault(
      'AUTHORIZATION_DENIED',
      `Denied by ${reasons.map(({ rule, text }) => `${rule}: ${text}`).join('; ')}.`,
    );
  }
  const needsApproval = decision.effect === 'ask';
  const whose = quotaSubjectOf(record.request);
  const scopes = ['tool_execute', `${contract.namespace}:${contract.name}`];
  if (record.request.dryRun || args === undefined) {
    deps.quota?.consume(whose, scopes, true);
    const remaining = deps.quota?.remaining(whose, scopes) ?? [];
    throw new EarlyOutcome({
      status: 'dry_run',
      report: dryRunReport(deps, call, { needsApproval, remaining }),
    });
  }
  if (needsApproval) {
    throw new Fault(
      'APPROVAL_REQUIRED',
      'A person must approve this call, and this gateway has nobody to ask.',
    );
  }
  deps.quota?.consume(whose, scopes);
  return { ...call, args, decision } as AuthorizedCall;
}

interface Caller {
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
}

/** For whom a call is counted. */
export function quotaSubjectOf(by: Caller): QuotaSubject {
  return { caller: ownerOf(by.principal), session: sessionOf(by) };
}

/** What belongs together: a caller's session where it names one, else all that it does. */
export function sessionOf({ principal, sessionId }: Caller): string {
  return JSON.stringify([ownerOf(principal), sessionId ?? null]);
}
