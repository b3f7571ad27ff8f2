import { plainLine } from '../base/text/plain-text.ts';
import type { CallError, Outcome } from '../contract/call/outcome.ts';
import { Fault } from '../contract/errors/fault.ts';
import { redactJson } from '../redaction/redact-json.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import type { CallRecord } from './call-record.ts';
import { EarlyOutcome } from './early-outcome.ts';

/** The only place where a throw becomes an outcome. What was not written for the caller stays in the log. */
export function outcomeFromError(thrown: unknown, record: CallRecord, secrets: RuleSet): Outcome {
  const { callId, request, provenance } = record;
  const every = { callId, traceId: request.trace.traceId, timing: record.timing };
  if (thrown instanceof EarlyOutcome) return { ...every, ...redactSecrets(thrown.ending, secrets) };
  return {
    ...every,
    status: 'failed',
    error: redactSecrets(toCallError(toFault(thrown)), secrets),
    ...(provenance && { provenance }),
  };
}

/** Whatever was thrown, in words that a caller may read. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault('INTERNAL_TOOL_ERROR', 'The call failed inside the gateway. The log holds the cause.');
}

/** Details and reports tell what a schema says, and a schema is foreign text. */
export function redactSecrets<Told>(told: Told, secrets: RuleSet): Told {
  return redactJson(told, secrets).value as Told;
}

/** What an earlier caller was told, for whoever asks again. */
export function faultFromStored({ code, variant, message, details, retryAfterMs }: CallError): Fault {
  return new Fault(code, message, {
    ...(variant !== undefined && { variant: variant as never }),
    ...(details && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

export function toCallError(fault: Fault): CallError {
  return {
    code: fault.code,
    variant: fault.variant,
    retryable: fault.retryable,
    message: plainLine(fault.message),
    ...(fault.details && { details: fault.details }),
    ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
  };
}
