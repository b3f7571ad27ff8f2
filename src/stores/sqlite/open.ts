import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { Stores } from '../../contract/ports/stores.ts';
import { DEFAULT_LEASE_MS } from '../shared/lease.ts';
import type { OnWarning } from '../shared/private-files.ts';
import type { OnLostEntries } from '../shared/retried-appends.ts';
import { sqliteArtifacts } from './artifacts.ts';
import { backUp } from './backup.ts';
import { registerClocks } from './clock.ts';
import { removeExpired } from './expiry.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { isMigrationPending, migrate } from './migrations.ts';
import { sqliteReceiptLog } from './receipt-log.ts';
import { IN_MEMORY, prepareStoreFile, StoreFileWatch } from './store-file.ts';
import { sqliteUsage } from './usage.ts';
import { WalSync } from './wal-sync.ts';
import { SqliteWriteQueue } from './write-queue.ts';

export interface SqliteStoresOptions {
  /** Created with its folder if it does not exist. `:memory:` exists as long as the process. */
  readonly file: string;
  /** How long this process may send no heartbeat before it is taken for dead. */
  readonly leaseMs?: number;
  /** Whether the intent of a keyed write survives a loss of power; true by default. */
  readonly syncIntents?: boolean;
  readonly onLostEntries?: OnLostEntries;
  readonly onWarning?: OnWarning;
}

// While the store is opened, nothing else waits for the event loop.
const OPEN_TIMEOUT_MS = 5_000;
// A command that ends soon may have the file open.
const SOLE_USE_TIMEOUT_MS = 500;
// How long a statement waits for the write lock of another process, and blocks the event loop. The write queue goes on waiting.
const BUSY_TIMEOUT_MS = 5;

// A checkpoint waits for the disk during the append of a call. Appends touch the same few index pages, so at four times
// the default there are fewer checkpoints and fewer pages written. The write-ahead log then stays near 16 MB.
const CHECKPOINT_PAGES = 4_000;

export async function openSqliteStores({
  file,
  leaseMs = DEFAULT_LEASE_MS,
  syncIntents = true,
  onLostEntries,
  onWarning = () => {},
}: SqliteStoresOptions): Promise<Stores> {
  const db = await openDatabase(file, onWarning);
  const watch = new StoreFileWatch(file);
  const queue = new SqliteWriteQueue(db, syncIntents && file !== IN_MEMORY ? new WalSync(file) : undefined);
  const idempotency = sqliteIdempotency(db, { leaseMs, queue, watch });
  const receipts = sqliteReceiptLog(db, { queue, onLostEntries });
  return {
    receipts,
    artifacts: sqliteArtifacts(db, queue),
    usage: sqliteUsage(db, queue),
    idempotency,
    get problem() {
      return watch.check();
    },
    removeExpired: removeExpired(db, queue),
    backUp: (target) => backUp(db, target),
    close: async () => {
      await receipts.close();
      await idempotency.close();
      await queue.close();
      db.close();
    },
  };
}

async function openDatabase(file: string, onWarning: OnWarning): Promise<Database> {
  let db: Database | undefined;
  try {
    await prepareStoreFile(file, onWarning);
    db = new SqliteDatabase(file, { timeout: OPEN_TIMEOUT_MS });
    registerClocks(db);
    // Only a new file takes this setting, before its first table.
    db.pragma('auto_vacuum = INCREMENTAL');
    if (isMigrationPending(db)) requireSoleUse(db);
    db.pragma('journal_mode = WAL');
    // In WAL mode a commit survives a crash of the process at this level. Intents are synced by the write queue.
    db.pragma('synchronous = NORMAL');
    // Deleted results and artifacts are overwritten.
    db.pragma('secure_delete = ON');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    migrate(db);
    // A copy of the database without its write-ahead log then has at least its tables.
    db.pragma('wal_checkpoint(PASSIVE)');
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return db;
  } catch (error) {
    db?.close();
    throw new Error(`Cannot open the store ${file}: ${explain(error)}`, { cause: error });
  }
}

/** A process of an older version fails with every write once the tables have changed. */
function requireSoleUse(db: Database): void {
  try {
    db.pragma(`busy_timeout = ${SOLE_USE_TIMEOUT_MS}`);
    // The engine leaves WAL mode only where no other connection has the file open.
    db.pragma('journal_mode = DELETE');
    db.pragma(`busy_timeout = ${OPEN_TIMEOUT_MS}`);
  } catch (cause) {
    throw new Error(
      'it was written by an older toolgate and must be migrated, but another process has it open. ' +
        'Stop every other toolgate that uses this file, then start again.',
      { cause },
    );
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
