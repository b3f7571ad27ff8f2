import { newCallId } from '../../contract/call/call-id.ts';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Resolution } from '../../contract/ports/idempotency-store.ts';
import type { StoredResult } from '../../lifecycle/idempotency/stored-result.ts';
import { redact } from '../../redaction/redact.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';
import { type Records, recordLostCall } from './lost-calls.ts';

export interface CallResolution {
  readonly callId: string;
  readonly verdict: Resolution;
  /** The operator. */
  readonly by: string;
  /** Evidence, kept in the receipt. */
  readonly reason?: string | undefined;
  /** Added to what callers receive. */
  readonly message?: string | undefined;
}

const STATEMENTS: Readonly<Record<Resolution, string>> = {
  executed: 'the call was executed',
  not_executed: 'the call was not executed',
};

/**
 * Records an operator's statement about a call whose outcome is unknown. The receipt of the call itself is written first,
 * because its key may be free afterwards. Returns the receipt of the resolution, or undefined when no such call is unresolved.
 */
export async function resolveCall(
  records: Records,
  resolution: CallResolution,
  secrets: RuleSet,
): Promise<Receipt | undefined> {
  const { idempotency, receipts } = records;
  const { callId, verdict, message } = resolution;
  const unresolved = await idempotency.listUnresolved(Number.MAX_SAFE_INTEGER);
  const lost = unresolved.find(({ receipt }) => receipt.callId === callId)?.receipt;
  if (!lost) return undefined;
  await recordLostCall(lost, records);
  if (!(await idempotency.resolve(callId, verdict, resolvedResult(callId, message)))) return undefined;
  const receipt = receiptOf(resolution, lost, secrets);
  await receipts.append(receipt);
  return receipt;
}

/** Shares the trace and the key of the call that it resolves; no tool was called for it. */
function receiptOf(
  { callId, verdict, by, reason }: CallResolution,
  lost: Receipt,
  secrets: RuleSet,
): Receipt {
  const text = `${by} states that ${STATEMENTS[verdict]}${reason === undefined ? '' : `: ${reason}`}`;
  return {
    callId: newCallId(),
    traceId: lost.traceId,
    at: new Date().toISOString(),
    principalId: by,
    surface: 'resolve',
    requested: `resolve ${callId}: ${STATEMENTS[verdict]}`,
    toolId: null,
    toolDigest: null,
    mutation: null,
    inputHash: null,
    decision: {
      effect: 'allow',
      reasons: [{ rule: 'operator', effect: 'allow', text: redact(text, secrets).text }],
      obligations: [],
    },
    status: 'ok',
    errorCode: null,
    phase: 'return',
    durationMs: 0,
    idempotencyKey: lost.idempotencyKey,
    source: null,
    attempts: 0,
  };
}

const TEXT = 'An operator resolved this call as executed. The result of the tool is not known.';

/** The stored result for later calls with the same key. */
function resolvedResult(callId: string, message: string | undefined): string {
  const text = message === undefined ? TEXT : `${TEXT} ${message}`;
  const stored: StoredResult = {
    result: { content: [{ type: 'text', text }], isError: false },
    executedAt: new Date().toISOString(),
    source: 'replay',
    replayOf: callId,
    resolvedByOperator: true,
  };
  return JSON.stringify(stored);
}
