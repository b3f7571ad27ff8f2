import { newCallId } from '../../contract/call/call-id.ts';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Verdict } from '../../contract/ports/idempotency-store.ts';
import type { Kept } from '../../lifecycle/idempotency/idempotency.ts';
import { redact } from '../../redaction/redact.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';
import { type Records, tellOf } from './lost-calls.ts';

export interface Settlement {
  readonly callId: string;
  readonly verdict: Verdict;
  /** Who says so. */
  readonly by: string;
  /** How they know: for the record. */
  readonly why?: string | undefined;
  /** What callers are told beside it. */
  readonly note?: string | undefined;
}

const SAID: Readonly<Record<Verdict, string>> = {
  happened: 'its effect happened',
  did_not_happen: 'its effect did not happen',
};

/**
 * Takes an operator's word for how a call ended that nobody knew the end of. The call itself is told of first, for its key
 * may be free afterwards; the settlement has a receipt of its own, which is returned. Nothing where no such call waits.
 */
export async function settle(
  records: Records,
  settlement: Settlement,
  secrets: RuleSet,
): Promise<Receipt | undefined> {
  const { claims, receipts } = records;
  const { callId, verdict, note } = settlement;
  const unresolved = await claims.unresolved(Number.MAX_SAFE_INTEGER);
  const lost = unresolved.find(({ receipt }) => receipt.callId === callId)?.receipt;
  if (!lost) return undefined;
  await tellOf(lost, records);
  if (!(await claims.settle(callId, verdict, settledResult(callId, note)))) return undefined;
  const receipt = receiptOf(settlement, lost, secrets);
  await receipts.append(receipt);
  return receipt;
}

/** In the trace and under the key of the call that it settles; no tool was called for it. */
function receiptOf({ callId, verdict, by, why }: Settlement, lost: Receipt, secrets: RuleSet): Receipt {
  const text = `${by} says that ${SAID[verdict]}${why === undefined ? '' : `: ${why}`}`;
  return {
    callId: newCallId(),
    traceId: lost.traceId,
    at: new Date().toISOString(),
    principalId: by,
    surface: 'settle',
    requested: `settle ${callId}: ${SAID[verdict]}`,
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

const TEXT =
  'This call was settled by an operator: its effect happened. What the tool answered is not known.';

/** What callers are told who ask again with the key of a call that an operator found to have happened. */
function settledResult(callId: string, note: string | undefined): string {
  const text = note === undefined ? TEXT : `${TEXT} ${note}`;
  const kept: Kept = {
    result: { content: [{ type: 'text', text }], isError: false },
    executedAt: new Date().toISOString(),
    source: 'replay',
    replayOf: callId,
    settled: true,
  };
  return JSON.stringify(kept);
}
