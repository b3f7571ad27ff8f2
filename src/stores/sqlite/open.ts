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
  /** Made where it is missing, its folder too. `:memory:` lives as long as the process. */
  readonly file: string;
  /** How long this process may be silent before its keys are taken for a dead one's. */
  readonly leaseMs?: number;
  readonly onLostEntries?: OnLostEntries;
}

// How long a statement waits for the write lock of another process on the same file.
const BUSY_TIMEOUT_MS = 5_000;

// A checkpoint waits for the disk, inside some caller's append. Receipts touch the same few index pages over and over,
// so at four times the default it is rarer and writes fewer pages in all. The log then stays near 16 MB.
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
    // Results and receipts are for their owner's eyes; the folder of a file that was there before keeps its mode.
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = WAL');
    // In WAL mode a commit survives a crash of the process at this level; only a loss of power can undo the last ones.
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
    return 'it is not a SQLite database. Name another file, or move this one away and toolgate makes a new one.';
  }
  if (code?.startsWith('SQLITE_CORRUPT')) {
    return 'it is damaged. Restore it from a backup, or move it away and toolgate makes a new one.';
  }
  return message;
}
