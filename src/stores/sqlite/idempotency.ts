import type { Database } from 'better-sqlite3';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../contract/ports/idempotency-store.ts';
import { type ClaimState, claimResultOf, unknownResultOf } from '../shared/claim-row.ts';
import { startLease } from '../shared/lease.ts';
import { packReceipt, unpackReceipt } from '../shared/packed-receipt.ts';
import { retriedWrites, type TerminalWrites } from '../shared/retried-writes.ts';
import { toStoredText } from '../shared/stored-text.ts';
import { type ClaimStatements, type ClaimValues, prepareClaimStatements } from './claim-statements.ts';
import type { StoreFileWatch } from './store-file.ts';
import type { WriteQueue } from './write-queue.ts';

export interface SqliteIdempotencyStore extends IdempotencyStore {
  close(): Promise<void>;
}

// How long an operator's command waits while another process holds the write lock.
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };
const SYNCED = { isSynced: true };

export interface SqliteIdempotencyOptions {
  readonly leaseMs: number;
  readonly queue: WriteQueue;
  readonly watch: StoreFileWatch;
}

export function sqliteIdempotency(
  db: Database,
  { leaseMs, queue, watch }: SqliteIdempotencyOptions,
): SqliteIdempotencyStore {
  const statements = prepareClaimStatements(db);
  const { nodes, open } = statements;
  const terminal = retriedWrites(terminalWrites(statements, queue));
  const lease = startLease({
    leaseMs,
    heartbeat: (node) => {
      watch.check();
      return queue.write(() => nodes.heartbeat.run(node, leaseMs, leaseMs));
    },
    afterHeartbeat: async () => {
      await terminal.retryPending();
      await queue.write(() => nodes.sweep.run());
    },
  });
  const { acquire, claim } = claiming(statements, lease.node);

  return {
    claim: async (wanted) => {
      if (watch.problem !== undefined) throw new Error(watch.problem);
      await lease.hold();
      const options = wanted.hasIntent && wanted.isSynced ? SYNCED : undefined;
      // Few keys are claimed twice, so the first attempt is a single statement.
      const isAcquired = await queue.writeNext(() => acquire(wanted), options);
      return isAcquired ? { state: 'acquired' } : queue.write(() => claim(wanted), options);
    },
    recordIntent: (scope, callId) =>
      queue.writeNext(() => open.recordIntent.run(scope, toStoredText(callId)).changes === 1, SYNCED),
    confirm: async (scope, callId) => {
      if (lease.isCurrent()) return true;
      await lease.renew();
      return open.isIntended.get(scope, toStoredText(callId)) !== undefined;
    },
    complete: terminal.complete,
    release: terminal.release,
    markUnknown: terminal.markUnknown,
    stopWaiting: async (scope, callId) => {
      await queue.write(() => open.stopWaiting.run(scope, toStoredText(callId)));
    },
    ...unresolvedCalls(statements, { queue, node: lease.node }),
    close: async () => {
      await lease.end();
      await terminal.retryPending();
      // The lease expires by itself where this fails.
      await queue.write(() => nodes.remove.run(lease.node), MAX_LOCK_WAIT).catch(() => {});
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
function claiming({ open, results }: ClaimStatements, node: string) {
  function acquire(wanted: ClaimRequest): boolean {
    return open.insert.run(...valuesOf(wanted, node), wanted.scope).changes === 1;
  }

  function claim(wanted: ClaimRequest): ClaimResult {
    if (acquire(wanted)) return { state: 'acquired' };
    const { scope } = wanted;
    const row = open.select.get(node, scope) ?? results.select.get(scope)!;
    const found = claimResultOf(row);
    if (found === 'died') {
      open.markDeadUnknown.run(node);
      return unknownResultOf(row);
    }
    if (found !== 'free') return found;
    open.remove.run(scope);
    acquire(wanted);
    return { state: 'acquired' };
  }

  return { acquire, claim };
}

type UnresolvedCalls = Pick<IdempotencyStore, 'findLost' | 'markReported' | 'listUnresolved' | 'resolve'>;

function unresolvedCalls(
  { open, unresolved }: ClaimStatements,
  { queue, node }: { readonly queue: WriteQueue; readonly node: string },
): UnresolvedCalls {
  const write = <Result>(job: () => Result): Promise<Result> => queue.write(job, MAX_LOCK_WAIT);
  const markDeadUnknown = (): void => {
    open.markDeadUnknown.run(node);
  };
  return {
    findLost: () =>
      write(() => {
        markDeadUnknown();
        return unresolved.selectLost.all().map(unpackReceipt);
      }),
    markReported: async (callId) => {
      await write(() => unresolved.markReported.run(toStoredText(callId)));
    },
    listUnresolved: (limit) =>
      write(() => {
        markDeadUnknown();
        return unresolved.select.all(node, limit).map(({ scope, crash_receipt, is_held }) => ({
          scope,
          receipt: unpackReceipt(crash_receipt),
          isAwaited: is_held === 1,
        }));
      }),
    resolve: (callId, verdict, result) =>
      write(() => {
        markDeadUnknown();
        const id = toStoredText(callId);
        if (verdict === 'executed') unresolved.storeResult.run(toStoredText(result), id);
        return unresolved.remove.run(id).changes === 1;
      }),
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
