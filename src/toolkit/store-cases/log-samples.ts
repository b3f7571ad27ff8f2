import type {
  IntentEntry,
  LogEntry,
  LogQuery,
  OperatorEntry,
  ResolutionEntry,
} from '../../contract/ports/receipt-log.ts';
import type { Stores } from '../../contract/ports/stores.ts';

/** The call of each entry that a listing returns; the action of an operator entry. */
export async function callIds({ receipts }: Stores, query: LogQuery): Promise<string[]> {
  return (await receipts.list(query)).map(callIdOf);
}

export function callIdOf(entry: LogEntry): string {
  if (entry.kind === 'call') return entry.receipt.callId;
  return 'callId' in entry ? entry.callId : entry.action;
}

export function intentOf(callId: string, fields: Partial<IntentEntry> = {}): IntentEntry {
  return {
    kind: 'intent',
    at: '2026-03-01T11:59:59.000Z',
    callId,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    principalId: 'agent-7',
    toolId: 'files:read_file@1.2.0',
    toolDigest: 'a'.repeat(64),
    sentHash: 'c'.repeat(64),
    ...fields,
  };
}

export function resolutionOf(callId: string, fields: Partial<ResolutionEntry> = {}): ResolutionEntry {
  return {
    kind: 'resolution',
    at: '2026-03-01T13:00:00.000Z',
    callId,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    idempotencyKey: 'order-41',
    principalId: 'operator:ann',
    verdict: 'not_executed',
    reason: 'There is no invoice.',
    ...fields,
  };
}

export const CLEARED_EXAMPLES: OperatorEntry = {
  kind: 'operator',
  at: '2026-03-01T14:00:00.000Z',
  principalId: 'operator:ann',
  action: 'clear_examples',
  details: { owner: null, removed: 3 },
};
