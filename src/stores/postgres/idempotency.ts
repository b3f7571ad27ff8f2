import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import { type ClaimRow, claimResultOf, unknownResultOf } from '../shared/claim-row.ts';
import { startLease } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites, type TerminalWrites } from '../shared/retried-writes.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { type ClaimStatements, claimStatements, type NamedStatement } from './claim-statements.ts';
import type { PostgresConnections } from './connections.ts';
import { UnansweredClaims } from './unanswered-claims.ts';

export interface PostgresIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

/** Runs a statement and resolves to the number of rows that it changed. */
type Change = (statement: NamedStatement, ...values: unknown[]) => Promise<number>;

export function postgresIdempotency(db: PostgresConnections, leaseMs: number): PostgresIdempotencyStore {
  const tables = { claims: db.table('toolgate_claims'), nodes: db.table('toolgate_nodes') };
  const statements = claimStatements(tables);
  const { nodes, steps } = statements;
  const change: Change = async (statement, ...values) => (await db.query({ ...statement, values })).length;
  const terminal = retriedWrites(terminalWrites(steps, change));
  const unanswered = new UnansweredClaims(db, steps.releaseAll);
  const afterHeartbeat = async (): Promise<void> => {
    await terminal.retryPending();
    await unanswered.release();
    await change(nodes.sweep);
  };
  const heartbeat = (node: string): Promise<number> => change(nodes.heartbeat, node, leaseMs);
  const lease = startLease({ leaseMs, heartbeat, afterHeartbeat });

  return {
    claim: async (wanted) => {
      await lease.hold();
      try {
        return await claim(db, statements.acquire, { wanted, node: lease.node });
      } catch (error) {
        unanswered.add(wanted.callId, error);
        throw error;
      }
    },
    recordIntent: async (scope, callId) =>
      (await change(steps.recordIntent, scope, toStoredText(callId))) === 1,
    confirm: async (scope, callId) => {
      if (lease.isCurrent()) return true;
      await lease.renew();
      return (await change(steps.isIntended, scope, toStoredText(callId))) === 1;
    },
    complete: terminal.complete,
    release: terminal.release,
    markUnknown: terminal.markUnknown,
    stopWaiting: async (scope, callId) => {
      await change(steps.stopWaiting, scope, toStoredText(callId));
    },
    ...unresolvedCalls(db, statements.unresolved, { change, node: lease.node }),
    close: async () => {
      await lease.end();
      await terminal.retryPending();
      await unanswered.release().catch(() => {});
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
    const { rows } = await client.query<ClaimRow>({ ...acquire.select, values: [scope, node] });
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

interface UnresolvedRow {
  readonly scope: string;
  readonly crash_receipt: string;
  readonly is_held: boolean;
}

type UnresolvedCalls = Pick<IdempotencyStore, 'findLost' | 'markReported' | 'listUnresolved' | 'resolve'>;

function unresolvedCalls(
  db: PostgresConnections,
  unresolved: ClaimStatements['unresolved'],
  { change, node }: { readonly change: Change; readonly node: string },
): UnresolvedCalls {
  const markDeadUnknown = (): Promise<number> => change(unresolved.markDeadUnknown, node);
  return {
    findLost: async () => {
      await markDeadUnknown();
      const rows = await db.query<{ crash_receipt: string }>({ ...unresolved.selectLost, values: [] });
      return rows.map(({ crash_receipt }) => unpackReceipt(crash_receipt));
    },
    markReported: async (callId) => {
      await change(unresolved.markReported, toStoredText(callId));
    },
    listUnresolved: async (limit) => {
      await markDeadUnknown();
      const rows = await db.query<UnresolvedRow>({ ...unresolved.select, values: [limit, node] });
      return rows.map(({ scope, crash_receipt, is_held }) => ({
        scope,
        receipt: unpackReceipt(crash_receipt),
        isAwaited: is_held,
      }));
    },
    resolve: async (callId, verdict, result) => {
      await markDeadUnknown();
      const id = toStoredText(callId);
      const changed =
        verdict === 'executed'
          ? await change(unresolved.resolveExecuted, id, toStoredText(result))
          : await change(unresolved.resolveNotExecuted, id);
      return changed === 1;
    },
  };
}
