import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { Stores } from '../../contract/ports/stores.ts';
import { DEFAULT_LEASE_MS } from '../shared/lease.ts';
import type { OnLostEntries } from '../shared/retried-appends.ts';
import { sqliteArtifacts } from './artifacts.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { migrate } from './migrations.ts';
import { sqliteReceiptLog } from './receipt-log.ts';
import { sqliteUsage } from './usage.ts';
import { writeQueue } from './write-queue.ts';

export interface SqliteStoresOptions {
  /** Created with its folder if it does not exist. `:memory:` exists as long as the process. */
  readonly file: string;
  /** How long this process may send no heartbeat before it is taken for dead. */
  readonly leaseMs?: number;
  readonly onLostEntries?: OnLostEntries;
}

// How long a statement waits for the write lock of another process on the same file.
const BUSY_TIMEOUT_MS = 5_000;

// A checkpoint waits for the disk during the append of a call. Appends touch the same few index pages, so at four times
// the default there are fewer checkpoints and fewer pages written. The write-ahead log then stays near 16 MB.
const CHECKPOINT_PAGES = 4_000;

export async function openSqliteStores({
  file,
  leaseMs = DEFAULT_LEASE_MS,
  onLostEntries,
}: SqliteStoresOptions): Promise<Stores> {
  const db = openDatabase(file);
  const queue = writeQueue(db);
  const idempotency = sqliteIdempotency(db, { leaseMs, queue });
  const receipts = sqliteReceiptLog(db, { queue, busyTimeoutMs: BUSY_TIMEOUT_MS, onLostEntries });
  return {
    receipts,
    artifacts: sqliteArtifacts(db),
    usage: sqliteUsage(db),
    idempotency,
    close: async () => {
      await receipts.close();
      await idempotency.close();
      queue.close();
      db.close();
    },
  };
}

function openDatabase(file: string): Database {
  let db: Database | undefined;
  try {
    // Only the owner may read results and receipts. An existing folder keeps its mode.
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = WAL');
    // In WAL mode a commit survives a crash of the process at this level; a loss of power can undo the last commits.
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    migrate(db);
    return db;
  } catch (error) {
    db?.close();
    throw new Error(`Cannot open the store ${file}: ${explain(error)}`, { cause: error });
  }
}

function explain(error: unknown): string {
  const { code, message } = error as Error & { code?: string };
  if (code === 'SQLITE_NOTADB') {
    return 'it is not a SQLite database. Name another file, or move this one away: toolgate then creates a new one.';
  }
  if (code?.startsWith('SQLITE_CORRUPT')) {
    return 'it is damaged. Restore it from a backup, or move it away: toolgate then creates a new one.';
  }
  return message;
}
