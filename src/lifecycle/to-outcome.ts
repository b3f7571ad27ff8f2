import { plainLine } from '../base/text/plain-text.ts';
import type { CallError, Outcome } from '../contract/call/outcome.ts';
import type { Phase } from '../contract/call/phase.ts';
import { Fault } from '../contract/errors/fault.ts';
import { declaredError } from '../contract/tool/declared-error.ts';
import { isRepeatable } from '../contract/tool/tool.ts';
import { redactJson } from '../redaction/redact-json.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import type { CallRecord } from './call-record.ts';
import type { CallRun } from './call-run.ts';
import type { EarlyOutcome } from './states.ts';

/** The only place where a thrown error becomes an outcome. What was not written for the caller stays in the log. */
export function outcomeFromError(error: unknown, run: CallRun, secrets: RuleSet): Outcome {
  const { provenance } = run.record.facts;
  return {
    ...identityOf(run),
    status: 'failed',
    error: redactSecrets(withEffect(toFault(error), run.record), secrets),
    ...(provenance && { provenance }),
  };
}

const PHASES_WITH_EFFECT: ReadonlySet<Phase> = new Set(['execute', 'verify', 'return']);

/**
 * An error that the contract declares is retryable as declared. A failed write reports what is known of its effect, under its key where it has one. A write that was sent and may have
 * had its effect is retryable only where a second call does no harm.
 */
function withEffect(fault: Fault, { phase, attempts, facts: { contract }, request }: CallRecord): CallError {
  const error = toCallError(fault);
  const declared = contract && declaredError(contract, codeOf(fault));
  if (declared) return { ...error, retryable: declared.retryable };
  if (!contract || contract.mutation === 'read_only' || !PHASES_WITH_EFFECT.has(phase)) return error;
  const effect = phase === 'execute' ? fault.effect : 'done';
  const wasSent = attempts > 0 && effect !== 'none';
  const hasKey = request.idempotencyKey !== undefined;
  const retryable = error.retryable && (!wasSent || isRepeatable(contract, { hasKey }));
  return { ...error, retryable, details: { ...error.details, effect } };
}

/** A tool of this process names its declared error in the details of the fault that it throws. */
function codeOf({ details }: Fault): { readonly code?: string } {
  return typeof details?.code === 'string' ? { code: details.code } : {};
}

export function outcomeOfEarly({ early }: EarlyOutcome, run: CallRun, secrets: RuleSet): Outcome {
  return { ...identityOf(run), ...redactSecrets(early, secrets) };
}

export function identityOf({ record, timing }: CallRun): Pick<Outcome, 'callId' | 'traceId' | 'timing'> {
  return { callId: record.callId, traceId: record.request.caller.trace.traceId, timing };
}

/** Any thrown value as a fault whose text a caller may read. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('INTERNAL_TOOL_ERROR', 'The call failed inside the gateway. The log holds the cause.');
}

/** Details and reports quote schemas, and a schema is foreign text. */
function redactSecrets<Value>(value: Value, secrets: RuleSet): Value {
  return redactJson(value, secrets).value as Value;
}

/** The stored error of an earlier call, for a later call with the same key. The tool ran, or nothing would be stored. */
export function faultFromStored({ code, variant, message, details, retryAfterMs }: CallError): Fault {
  return new Fault(code, message, {
    effect: 'done',
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
