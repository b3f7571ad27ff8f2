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
import type { Arrival } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import { writtenDown } from './bounded-write.ts';
import { Journey } from './call-record.ts';
import type { Gate } from './dependencies.ts';
import { authorizeCall } from './phases/authorize.ts';
import { executeCall } from './phases/execute.ts';
import { requestCall } from './phases/request.ts';
import { returnCall } from './phases/return.ts';
import { validateCall } from './phases/validate.ts';
import { verifyCall } from './phases/verify.ts';
import { convert } from './to-outcome.ts';

export async function invoke(gate: Gate, arrival: Arrival): Promise<Outcome> {
  const journey = new Journey(arrival, gate.events, gate.firewall.secrets);
  let outcome: Outcome;
  let cause: unknown;
  try {
    const requested = await journey.pass('request', () => requestCall(gate, journey));
    const validated = await journey.pass('validate', () => validateCall(requested));
    const authorized = await journey.pass('authorize', () => authorizeCall(gate, validated));
    const executed = await journey.pass('execute', () => executeCall(gate, authorized));
    const verified = await journey.pass('verify', () => verifyCall(gate, executed));
    outcome = await journey.pass('return', () => returnCall(verified));
  } catch (thrown) {
    outcome = convert(thrown, journey, gate.firewall.secrets);
    cause = thrown;
  }

  const receipt = journey.receipt(outcome);
  const { callId } = receipt;
  const told = writtenDown(gate, { callId, what: 'receipt not stored' }, () => gate.receipts.append(receipt));
  await Promise.all([told, journey.sealed]);
  gate.events.publish({ type: 'ended', receipt, cause });
  return outcome;
}
