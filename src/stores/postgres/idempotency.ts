import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import { type ClaimRow, claimResultOf, unknownResultOf } from '../shared/claim-row.ts';
import { startLease } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites, type TerminalWrites } from '../shared/retried-writes.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { type ClaimStatements, claimStatements, type NamedStatement } from './claim-statements.ts';
import type { PostgresConnections } from './connections.ts';

export interface PostgresIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

/** Runs a statement and resolves to the number of rows that it changed. */
type Change = (statement: NamedStatement, ...values: unknown[]) => Promise<number>;

// Results stay behind when their key is not used again. Every so many claims removes more of them than were added since.
const CLAIMS_PER_SWEEP = 50;

export function postgresIdempotency(db: PostgresConnections, leaseMs: number): PostgresIdempotencyStore {
  const tables = { claims: db.table('toolgate_claims'), nodes: db.table('toolgate_nodes') };
  const statements = claimStatements(tables);
  const { nodes, acquire, steps } = statements;
  const change: Change = async (statement, ...values) => (await db.query({ ...statement, values })).length;
  const terminal = retriedWrites(terminalWrites(steps, change));
  const lease = startLease(async (node) => {
    await change(nodes.heartbeat, node, leaseMs);
    await terminal.retryPending();
  }, leaseMs);
  let claimCount = 0;

  return {
    claim: async (wanted) => {
      await lease.hold();
      if (claimCount++ % CLAIMS_PER_SWEEP === 0) {
        await change(acquire.removeExpired, 2 * CLAIMS_PER_SWEEP);
        await change(nodes.sweep);
      }
      return claim(db, acquire, { wanted, node: lease.node });
    },
    recordIntent: async (scope, callId) =>
      (await change(steps.recordIntent, scope, toStoredText(callId))) === 1,
    complete: terminal.complete,
    release: terminal.release,
    markUnknown: terminal.markUnknown,
    ...unresolvedCalls(db, statements.unresolved, change),
    close: async () => {
      await lease.end();
      await terminal.retryPending();
      // The lease expires by itself where this fails.
      await change(nodes.remove, lease.node).catch(() => {});
    },
  };
}

function terminalWrites(steps: ClaimStatements['steps'], change: Change): TerminalWrites {
  return {
    complete: async (scope, callId, result) => {
      await change(steps.complete, scope, toStoredText(callId), toStoredText(result));
    },
    release: async (scope, callId) => {
      await change(steps.release, scope, toStoredText(callId));
    },
    markUnknown: async (scope, callId) => {
      await change(steps.markUnknown, scope, toStoredText(callId));
    },
  };
}

async function claim(
  db: PostgresConnections,
  acquire: ClaimStatements['acquire'],
  { wanted, node }: { readonly wanted: ClaimRequest; readonly node: string },
): Promise<ClaimResult> {
  const { scope, callId, inputHash } = wanted;
  const values = valuesOf(wanted, node);
  const inserted = await db.query<{ scope: string }>({ ...acquire.insert, values });
  if (inserted.length === 1) return { state: 'acquired' };
  let answer: ClaimResult = { state: 'acquired' };
  await db.transaction(async (client) => {
    const { rows } = await client.query<ClaimRow>({ ...acquire.select, values: [scope] });
    const [row] = rows;
    const found = row ? claimResultOf(row) : 'free';
    if (found === 'free') {
      // By its call id: another call may have claimed the key since the row was read.
      if (row) await client.query({ ...acquire.remove, values: [scope, row.call_id] });
      const { rowCount } = await client.query({ ...acquire.insert, values });
      // Another call acquired the key in between; the next attempt finds that call.
      if (rowCount === 0) answer = { state: 'running', callId, inputHash };
    } else if (found === 'died') {
      await client.query({ ...acquire.markUnknown, values: [scope, row!.call_id] });
      answer = unknownResultOf(row!);
    } else answer = found;
  });
  return answer;
}

/** In the order of the parameters of `insert`. */
function valuesOf(
  { scope, callId, inputHash, windowMs, crashReceipt, hasIntent }: ClaimRequest,
  node: string,
): unknown[] {
  return [
    scope,
    toStoredText(callId),
    toStoredText(inputHash),
    node,
    packReceipt(crashReceipt),
    windowMs,
    hasIntent ? 'intended' : 'claimed',
  ];
}

type UnresolvedCalls = Pick<IdempotencyStore, 'findLost' | 'markReported' | 'listUnresolved' | 'resolve'>;

function unresolvedCalls(
  db: PostgresConnections,
  unresolved: ClaimStatements['unresolved'],
  change: Change,
): UnresolvedCalls {
  return {
    findLost: async () => {
      await change(unresolved.markDeadUnknown);
      const rows = await db.query<{ crash_receipt: string }>({ ...unresolved.selectLost, values: [] });
      return rows.map(({ crash_receipt }) => unpackReceipt(crash_receipt));
    },
    markReported: async (callId) => {
      await change(unresolved.markReported, toStoredText(callId));
    },
    listUnresolved: async (limit) => {
      await change(unresolved.markDeadUnknown);
      const rows = await db.query<{ scope: string; crash_receipt: string }>({
        ...unresolved.select,
        values: [limit],
      });
      return rows.map(({ scope, crash_receipt }) => ({ scope, receipt: unpackReceipt(crash_receipt) }));
    },
    resolve: async (callId, verdict, result) => {
      await change(unresolved.markDeadUnknown);
      const id = toStoredText(callId);
      const changed =
        verdict === 'executed'
          ? await change(unresolved.resolveExecuted, id, toStoredText(result))
          : await change(unresolved.resolveNotExecuted, id);
      return changed === 1;
    },
  };
}
