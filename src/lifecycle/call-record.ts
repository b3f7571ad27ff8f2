import { newCallId } from '../contract/call/call-id.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Decision } from '../contract/call/decision.ts';
import type { Outcome, Provenance } from '../contract/call/outcome.ts';
import type { Phase } from '../contract/call/phase.ts';
import type { OutputSummary, Receipt } from '../contract/call/receipt.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { redact } from '../redaction/redact.ts';
import type { RuleSet } from '../redaction/rule-set.ts';

/**
 * Who made a call: a caller, or the gateway itself, to check another call or as a step of it. Only the lifecycle sets it:
 * internal calls may use internal tools, and their results are compared unredacted and shown to no caller.
 */
export type CallOrigin = 'caller' | 'step' | 'check';

/** What phases learned, for receipts and telemetry. No phase reads it: a phase reads the state that it is given. */
export interface CallFacts {
  contract?: ToolContract;
  /** The tool that was named but may not be seen: for the receipt alone, which operators read. */
  hiddenContract?: ToolContract;
  inputHash?: string;
  sentHash?: string;
  decision?: Decision;
  provenance?: Provenance;
  outputSummary?: OutputSummary | null;
}

/** The record of a call: plain data, so that it can be stored and the call resumed. */
export interface CallRecord {
  readonly callId: string;
  readonly origin: CallOrigin;
  readonly request: CallRequest;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The same as ISO 8601, UTC. */
  readonly at: string;
  phase: Phase;
  /** How often the call was sent to the upstream. */
  attempts: number;
  readonly facts: CallFacts;
}

export function createCallRecord(request: CallRequest, origin: CallOrigin): CallRecord {
  const startedAt = Date.now();
  return {
    callId: newCallId(),
    origin,
    request,
    startedAt,
    at: new Date(startedAt).toISOString(),
    phase: 'request',
    attempts: 0,
    facts: {},
  };
}

export function isInternal({ origin }: Pick<CallRecord, 'origin'>): boolean {
  return origin !== 'caller';
}

/** How a call ended, as far as its receipt states it. */
export type ReceiptEnding = Pick<Receipt, 'status' | 'errorCode' | 'durationMs'>;

export function endingOf(outcome: Outcome): ReceiptEnding {
  return {
    status: outcome.status,
    errorCode: outcome.status === 'failed' ? outcome.error.code : null,
    durationMs: outcome.timing.durationMs,
  };
}

export function createReceipt(
  record: CallRecord,
  { status, errorCode, durationMs }: ReceiptEnding,
  { requested, idempotencyKey }: RedactedRequest,
): Receipt {
  const { request, facts } = record;
  const { caller } = request;
  const contract = facts.contract ?? facts.hiddenContract;
  return {
    callId: record.callId,
    traceId: caller.trace.traceId,
    at: record.at,
    principalId: caller.principal.id,
    tenant: caller.principal.tenant ?? null,
    client: caller.client,
    credential: caller.credential,
    transport: caller.transport,
    surface: caller.surface,
    operation: contract?.operation ?? null,
    requested,
    toolId: contract?.id ?? null,
    toolVersion: contract?.version ?? null,
    toolDigest: contract?.digest ?? null,
    mutation: contract?.mutation ?? null,
    sideEffects: contract?.sideEffects ?? [],
    inputHash: facts.inputHash ?? null,
    sentHash: facts.sentHash ?? null,
    outputSummary: facts.outputSummary ?? null,
    decision: facts.decision ?? null,
    approvalId: null,
    status,
    errorCode,
    phase: record.phase,
    durationMs,
    idempotencyKey,
    source: facts.provenance?.source ?? null,
    attempts: record.attempts,
  };
}

const MAX_REQUESTED_LENGTH = 300;
/** Longer than the stored text, because a secret that is cut is not recognised as one. */
const MAX_READ_LENGTH = 8_192;

/** The parts of a request that its receipt keeps. */
export type RedactedRequest = Pick<Receipt, 'requested' | 'idempotencyKey'>;

/** A caller may send a secret in the wrong place. */
export function redactRequest({ tool, idempotencyKey }: CallRequest, secrets: RuleSet): RedactedRequest {
  return {
    requested: redact(tool.slice(0, MAX_READ_LENGTH), secrets).text.slice(0, MAX_REQUESTED_LENGTH),
    idempotencyKey: idempotencyKey === undefined ? null : redact(idempotencyKey, secrets).text,
  };
}
