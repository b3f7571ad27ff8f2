import type { Database } from 'better-sqlite3';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import { type ClaimState, claimResultOf, unknownResultOf } from '../shared/claim-row.ts';
import { startLease } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites, type TerminalWrites } from '../shared/retried-writes.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { type ClaimStatements, type ClaimValues, prepareClaimStatements } from './claim-statements.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SqliteIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

// Results stay behind when their key is not used again. Every so many claims a range of them is checked, which is
// larger than the number of results that were added since.
const CLAIMS_PER_SWEEP = 50;
const RESULTS_PER_SWEEP = 60;

export function sqliteIdempotency(
  db: Database,
  { leaseMs, queue }: { readonly leaseMs: number; readonly queue: WriteQueue },
): SqliteIdempotencyStore {
  const statements = prepareClaimStatements(db);
  const { nodes, open } = statements;
  const terminal = retriedWrites(terminalWrites(statements, queue));
  const lease = startLease(async (node) => {
    nodes.heartbeat.run(node, leaseMs);
    await terminal.retryPending();
  }, leaseMs);
  const { acquire, claim } = claiming(statements, lease.node);

  return {
    claim: async (wanted) => {
      await lease.hold();
      // Few keys are claimed twice, so the first attempt is a single statement.
      const isAcquired = await queue.writeNext(() => acquire(wanted));
      return isAcquired ? { state: 'acquired' } : queue.write(() => claim(wanted));
    },
    recordIntent: (scope, callId) =>
      queue.writeNext(() => open.recordIntent.run(scope, toStoredText(callId)).changes === 1),
    complete: terminal.complete,
    release: terminal.release,
    markUnknown: terminal.markUnknown,
    ...unresolvedCalls(db, statements),
    close: async () => {
      await lease.end();
      await terminal.retryPending();
      if (db.open) nodes.remove.run(lease.node);
    },
  };
}

function terminalWrites({ open, results }: ClaimStatements, queue: WriteQueue): TerminalWrites {
  /** Stores the result before it releases the key: a claim in between finds one of them. */
  const complete = (scope: string, callId: string, result: string): void => {
    if (results.store.run(result, scope, callId).changes === 1) open.release.run(scope, callId);
    else results.update.run(result, scope, callId);
  };
  return {
    complete: async (scope, callId, result) => {
      await queue.write(() => complete(scope, toStoredText(callId), toStoredText(result)));
    },
    release: async (scope, callId) => {
      await queue.write(() => open.release.run(scope, toStoredText(callId)));
    },
    markUnknown: async (scope, callId) => {
      await queue.write(() => open.markUnknown.run(scope, toStoredText(callId)));
    },
  };
}

/** Both functions run inside of a write. */
function claiming(statements: ClaimStatements, node: string) {
  const { open, results } = statements;
  const sweep = sweeping(statements);
  let claimCount = 0;

  function acquire(wanted: ClaimRequest): boolean {
    if (claimCount++ % CLAIMS_PER_SWEEP === 0) sweep();
    return open.insert.run(...valuesOf(wanted, node), wanted.scope).changes === 1;
  }

  function claim(wanted: ClaimRequest): ClaimResult {
    if (acquire(wanted)) return { state: 'acquired' };
    const { scope } = wanted;
    const row = open.select.get(scope) ?? results.select.get(scope)!;
    const found = claimResultOf(row);
    if (found === 'died') {
      open.markDeadUnknown.run();
      return unknownResultOf(row);
    }
    if (found !== 'free') return found;
    open.remove.run(scope);
    acquire(wanted);
    return { state: 'acquired' };
  }

  return { acquire, claim };
}

/** Checks one range of the stored results at a time, and starts again at the end. */
function sweeping({ nodes, results }: ClaimStatements): () => void {
  let sweptTo = 0;
  return () => {
    const end = results.endOfRange.get(sweptTo, RESULTS_PER_SWEEP);
    if (end) results.removeExpired.run(sweptTo, end);
    sweptTo = end ?? 0;
    nodes.sweep.run();
  };
}

type UnresolvedCalls = Pick<IdempotencyStore, 'findLost' | 'markReported' | 'listUnresolved' | 'resolve'>;

function unresolvedCalls(db: Database, { open, unresolved }: ClaimStatements): UnresolvedCalls {
  const { markDeadUnknown } = open;
  const findLost = db.transaction(() => {
    markDeadUnknown.run();
    return unresolved.selectLost.all().map(unpackReceipt);
  });
  const resolve = db.transaction((callId: string, result: string | undefined): boolean => {
    markDeadUnknown.run();
    if (result !== undefined) unresolved.storeResult.run(result, callId);
    return unresolved.remove.run(callId).changes === 1;
  });
  return {
    findLost: async () => findLost.immediate(),
    markReported: async (callId) => {
      unresolved.markReported.run(toStoredText(callId));
    },
    listUnresolved: async (limit) => {
      markDeadUnknown.run();
      const rows = unresolved.select.all(limit);
      return rows.map(({ scope, crash_receipt }) => ({ scope, receipt: unpackReceipt(crash_receipt) }));
    },
    resolve: async (callId, verdict, result) =>
      resolve.immediate(toStoredText(callId), verdict === 'executed' ? toStoredText(result) : undefined),
  };
}

function valuesOf(
  { scope, callId, inputHash, windowMs, crashReceipt, hasIntent }: ClaimRequest,
  node: string,
): ClaimValues {
  const state: ClaimState = hasIntent ? 'intended' : 'claimed';
  return [
    scope,
    toStoredText(callId),
    toStoredText(inputHash),
    state,
    node,
    windowMs,
    packReceipt(crashReceipt),
  ];
}
