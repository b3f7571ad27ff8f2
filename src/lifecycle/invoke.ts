/**
 * One call, one page.
 *
 *   requested   principal, tool as this principal may see it, deadline, trace, key
 *   validated   arguments against the pinned input schema
 *   authorized  decide(): deny → refused, ask → pending, allow with obligations; quota; a dry run ends here
 *   executed    key already done → its stored result; cache; intent durable → deadline, retry, breaker → upstream
 *   verified    output schema, the world as it should be, what a model may see of it, firewall
 *   returned    the neutral outcome; ingress encodes it
 *
 * Any refusal or throw → one converter. Whatever happens → exactly one receipt.
 *
 * A straight line: nothing can be called twice, skipped or forgotten. Each step accepts only what the step before it
 * can make. Visibility is settled in Request, or Validate would describe tools that the caller may not know. A stored
 * result is replayed after Authorize, or a revoked caller could still collect old ones.
 */
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import { writeWithTimeout } from './bounded-write.ts';
import { CallRecord } from './call-record.ts';
import type { CallDependencies } from './dependencies.ts';
import { authorizeCall } from './phases/authorize.ts';
import { executeCall } from './phases/execute.ts';
import { requestCall } from './phases/request.ts';
import { returnCall } from './phases/return.ts';
import { validateCall } from './phases/validate.ts';
import { verifyCall } from './phases/verify.ts';
import { outcomeFromError } from './to-outcome.ts';

export async function invoke(deps: CallDependencies, arrival: CallRequest): Promise<Outcome> {
  const record = new CallRecord(arrival, deps.events, deps.firewall.secrets);
  let outcome: Outcome;
  let cause: unknown;
  try {
    const requested = await record.runPhase('request', () => requestCall(deps, record));
    const validated = await record.runPhase('validate', () => validateCall(requested));
    const authorized = await record.runPhase('authorize', () => authorizeCall(deps, validated));
    const executed = await record.runPhase('execute', () => executeCall(deps, authorized));
    const verified = await record.runPhase('verify', () => verifyCall(deps, executed));
    outcome = await record.runPhase('return', () => returnCall(verified));
  } catch (thrown) {
    outcome = outcomeFromError(thrown, record, deps.firewall.secrets);
    cause = thrown;
  }

  const receipt = record.receipt(outcome);
  const { callId } = receipt;
  const told = writeWithTimeout(deps, { callId, what: 'receipt not stored' }, () =>
    deps.receipts.append(receipt),
  );
  await Promise.all([told, record.stored]);
  deps.events.publish({ type: 'ended', receipt, cause });
  return outcome;
}
