/**
 * One call, one page.
 *
 *   request     the tool, as this principal may see it; the deadline; the scoped idempotency key
 *   validate    arguments against the pinned input schema
 *   authorize   the policy: deny → refused, ask → pending, allow; quota; a dry run ends here
 *   execute     the key's stored result, the cache, or the upstream: preconditions → deadline → retry → circuit breaker
 *               → bulkhead → session → durable intent → send
 *   verify      output schema, postconditions, redaction, firewall
 *   return      the neutral outcome; ingress encodes it
 *
 * Any refusal or thrown error → one converter. Whatever happens → exactly one receipt.
 *
 * No phase can be skipped or run out of order, because each accepts only the state that the phase before it makes.
 * Visibility is decided in Request, or Validate would describe tools that the caller may not know. A stored result is
 * replayed after Authorize, or a caller whose access was revoked could still collect old results.
 */
import type { CallHandles, CallRequest } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import { writeWithTimeout } from './bounded-write.ts';
import type { CallOrigin } from './call-record.ts';
import { CallRun } from './call-run.ts';
import type { CallDependencies } from './dependencies.ts';
import { authorizeCall } from './phases/authorize.ts';
import { executeCall } from './phases/execute.ts';
import { requestCall } from './phases/request.ts';
import { returnCall } from './phases/return.ts';
import { validateCall } from './phases/validate.ts';
import { verifyCall } from './phases/verify.ts';
import { outcomeFromError, outcomeOfEarly } from './to-outcome.ts';

export interface InvokeOptions {
  readonly handles?: CallHandles;
  readonly origin?: CallOrigin;
}

export async function invoke(
  deps: CallDependencies,
  request: CallRequest,
  { handles = {}, origin = 'caller' }: InvokeOptions = {},
): Promise<Outcome> {
  const { secrets } = deps.firewall;
  const run = new CallRun({ request, handles, origin }, { events: deps.events, secrets });
  let outcome: Outcome;
  let cause: unknown;
  try {
    outcome = await runPhases(deps, run);
  } catch (error) {
    outcome = outcomeFromError(error, run, secrets);
    cause = error;
  }

  const receipt = run.receipt(outcome);
  const { callId } = receipt;
  const stored = writeWithTimeout(deps.events, { callId, what: 'receipt not stored' }, () =>
    deps.receipts.append({ kind: 'call', receipt }),
  );
  await Promise.all([stored, run.lastWrite]);
  deps.events.publish({ type: 'ended', receipt, cause });
  return outcome;
}

async function runPhases(deps: CallDependencies, run: CallRun): Promise<Outcome> {
  const requested = await run.runPhase('request', () => requestCall(deps, run));
  const validated = await run.runPhase('validate', () => validateCall(requested));
  const authorized = await run.runPhase('authorize', () => authorizeCall(deps, validated));
  if ('early' in authorized) return outcomeOfEarly(authorized, run, deps.firewall.secrets);
  const executed = await run.runPhase('execute', () => executeCall(deps, authorized));
  const verified = await run.runPhase('verify', () => verifyCall(deps, executed));
  return run.runPhase('return', () => returnCall(verified));
}
