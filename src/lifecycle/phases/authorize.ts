import type { Caller } from '../../contract/call/caller.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { QuotaSubject } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall, EarlyOutcome, ValidatedCall } from '../states.ts';
import { dryRunReport } from './dry-run.ts';

/** Decides whether the caller may make this call now, and counts it against its limits. */
export function authorizeCall(deps: CallDependencies, call: ValidatedCall): AuthorizedCall | EarlyOutcome {
  const { record, contract, input } = call;
  const { caller, dryRun } = record.request;
  const { call: decision } = deps.policy.decide(caller, contract, {
    args: input?.args,
    environment: { at: record.startedAt, transport: caller.transport },
  });
  record.facts.decision = decision;
  if (decision.effect === 'deny') {
    const reasons = decision.reasons.filter(({ effect }) => effect !== 'allow');
    throw new Fault(
      'AUTHORIZATION_DENIED',
      `Denied by ${reasons.map(({ rule, text }) => `${rule}: ${text}`).join('; ')}.`,
    );
  }
  const needsApproval = decision.effect === 'ask';
  const quota = record.origin === 'caller' ? deps.quota : undefined;
  if (dryRun || input === undefined) {
    const subject = quotaSubjectOf(caller);
    quota?.check(subject, quota.scopesOf(contract));
    const remaining = quota?.remaining(subject, quota.scopesOf(contract)) ?? [];
    const report = dryRunReport(deps, call, { needsApproval, remaining });
    return { early: { status: 'dry_run', report } };
  }
  if (needsApproval) return { early: { status: 'pending', ticket: ticketOf(call) } };
  quota?.consume(quotaSubjectOf(caller), quota.scopesOf(contract));
  return { ...call, input, decision } as AuthorizedCall;
}

/** The ticket has the id of the call, so that `toolgate calls show <id>` finds it. */
function ticketOf({
  record,
  deadline,
}: ValidatedCall): Extract<EarlyOutcome['early'], { status: 'pending' }>['ticket'] {
  return {
    id: record.callId,
    message: 'A person must approve this call, and this gateway has no approver configured.',
    expiresAt: new Date(deadline).toISOString(),
  };
}

/** The subject whose limits a call counts against. */
export function quotaSubjectOf(caller: Caller): QuotaSubject {
  return { caller: ownerOf(caller.principal), session: sessionKeyOf(caller) };
}

/** Identifies a session. All calls of a caller without a session id share one. */
export function sessionKeyOf({ principal, sessionId }: Caller): string {
  return JSON.stringify([ownerOf(principal), sessionId ?? null]);
}
