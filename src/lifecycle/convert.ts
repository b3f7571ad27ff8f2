import { Fault } from '../contract/errors.ts';
import type { CallError, Outcome } from '../contract/outcome.ts';
import { plainLine } from '../contract/plain-text.ts';
import { redactJson } from '../results/redaction/redact-json.ts';
import type { RuleSet } from '../results/redaction/rule-set.ts';
import { Ended } from './ended.ts';
import type { Journey } from './journey.ts';

/** The only place where a throw becomes an outcome. What was not written for the caller stays in the log. */
export function convert(thrown: unknown, journey: Journey, secrets: RuleSet): Outcome {
  const { callId, arrival, provenance } = journey;
  const every = { callId, traceId: arrival.trace.traceId, timing: journey.timing };
  if (thrown instanceof Ended) return { ...every, ...withoutSecrets(thrown.ending, secrets) };
  const fault =
    thrown instanceof Fault
      ? thrown
      : new Fault('INTERNAL_TOOL_ERROR', 'The call failed inside the gateway. The log holds the cause.');
  return {
    ...every,
    status: 'failed',
    error: withoutSecrets(callError(fault), secrets),
    ...(provenance && { provenance }),
  };
}

/** Details and reports tell what a schema says, and a schema is foreign text. */
export function withoutSecrets<Told>(told: Told, secrets: RuleSet): Told {
  return redactJson(told, secrets).value as Told;
}

export function callError(fault: Fault): CallError {
  return {
    code: fault.code,
    variant: fault.variant,
    retryable: fault.retryable,
    message: plainLine(fault.message),
    ...(fault.details && { details: fault.details }),
    ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
  };
}
