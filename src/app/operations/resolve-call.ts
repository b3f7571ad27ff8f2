import type { Receipt } from '../../contract/call/receipt.ts';
import type { Resolution } from '../../contract/ports/idempotency-store.ts';
import type { RecordedEntry, ResolutionEntry } from '../../contract/ports/receipt-log.ts';
import type { StoredResult } from '../../lifecycle/idempotency/stored-result.ts';
import { redact } from '../../redaction/redact.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';
import { type Records, recordLostCall } from './lost-calls.ts';

export interface CallResolution {
  readonly callId: string;
  readonly verdict: Resolution;
  /** The operator. */
  readonly principalId: string;
  /** Evidence, recorded in the log. */
  readonly reason?: string | undefined;
  /** Added to what callers receive. */
  readonly message?: string | undefined;
  /** Resolves the call although a live gateway still waits for its answer. */
  readonly force?: boolean | undefined;
}

/** A live gateway may still learn the outcome by itself: freeing the key now could double the effect. */
export class AwaitedCallError extends Error {
  override readonly name = 'AwaitedCallError';
}

/**
 * Records an operator's statement about a call whose outcome is unknown. The receipt of the call itself is written first,
 * because its key may be free afterwards. Returns the entry of the resolution, or undefined when no such call is unresolved.
 */
export async function resolveCall(
  records: Records,
  resolution: CallResolution,
  secrets: RuleSet,
): Promise<RecordedEntry | undefined> {
  const { idempotency, receipts } = records;
  const { callId, verdict, message } = resolution;
  const unresolved = await idempotency.listUnresolved(Number.MAX_SAFE_INTEGER);
  const found = unresolved.find(({ receipt }) => receipt.callId === callId);
  if (!found) return undefined;
  const { receipt: lost, isAwaited } = found;
  if (isAwaited && !resolution.force) {
    throw new AwaitedCallError(
      `A running gateway still waits for the answer to call ${callId}, up to 30 seconds after its deadline.`,
    );
  }
  await recordLostCall(lost, records);
  if (!(await idempotency.resolve(callId, verdict, resolvedResult(callId, message)))) return undefined;
  const entry = entryOf(resolution, lost, secrets);
  return { seq: await receipts.append(entry), ...entry };
}

/** Shares the trace and the key of the call that it resolves. */
function entryOf(
  { callId, verdict, principalId, reason }: CallResolution,
  { traceId, idempotencyKey }: Receipt,
  secrets: RuleSet,
): ResolutionEntry {
  return {
    kind: 'resolution',
    at: new Date().toISOString(),
    callId,
    traceId,
    idempotencyKey,
    principalId,
    verdict,
    reason: reason === undefined ? null : redact(reason, secrets).text,
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
