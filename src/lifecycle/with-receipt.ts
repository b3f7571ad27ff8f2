import type { Caller } from '../contract/call/caller.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import { writeWithTimeout } from './bounded-write.ts';
import { createCallRecord, createReceipt, redactRequest } from './call-record.ts';
import type { CallDependencies } from './dependencies.ts';
import { toFault } from './to-outcome.ts';

export interface RecordedRequest {
  readonly caller: Caller;
  readonly operation: 'browse' | 'view' | 'affordances';
  /** The query, path, objective or handle of the request. */
  readonly requested: string;
}

/** Writes one receipt for a request that calls no tool, whether it succeeds or fails. */
export async function withReceipt<Answer>(
  deps: CallDependencies,
  { caller, operation, requested }: RecordedRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const record = createCallRecord({ caller, tool: requested, args: undefined }, 'caller');
  const writeReceipt = (ending: Pick<Receipt, 'status' | 'errorCode'>): Promise<void> => {
    const durationMs = Date.now() - record.startedAt;
    const redacted = redactRequest(record.request, deps.firewall.secrets);
    const receipt = { ...createReceipt(record, { ...ending, durationMs }, redacted), operation };
    return writeWithTimeout(deps.events, { callId: record.callId, what: 'receipt not stored' }, () =>
      deps.receipts.append({ kind: 'call', receipt }),
    );
  };
  try {
    const answer = await work();
    await writeReceipt({ status: 'ok', errorCode: null });
    return answer;
  } catch (error) {
    await writeReceipt({ status: 'failed', errorCode: toFault(error).code });
    throw error;
  }
}
