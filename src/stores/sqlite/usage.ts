import type { Database } from 'better-sqlite3';
import { MAX_PAIRS_PER_TOOL, type UsageStore } from '../../contract/ports/usage-store.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import { toSortedPairs, type UsageRow } from '../shared/usage-row.ts';
import type { WriteQueue } from './write-queue.ts';

type Key = [owner: string, tool: string];

// How long a call waits while another process holds the write lock.
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };

export function sqliteUsage(db: Database, queue: WriteQueue): UsageStore {
  const upsert = db.prepare<[...Key, request: string, ...Key]>(
    `INSERT INTO toolgate_usage (owner, tool, request, times, seen)
     VALUES (?, ?, ?, 1, (SELECT coalesce(max(seen), 0) + 1 FROM toolgate_usage WHERE owner = ? AND tool = ?))
     ON CONFLICT (owner, tool, request) DO UPDATE SET times = times + 1, seen = excluded.seen`,
  );
  const removeOldest = db.prepare<[...Key, ...Key]>(
    `DELETE FROM toolgate_usage WHERE owner = ? AND tool = ? AND seen NOT IN
       (SELECT seen FROM toolgate_usage WHERE owner = ? AND tool = ? ORDER BY seen DESC LIMIT ${MAX_PAIRS_PER_TOOL})`,
  );
  const select = db.prepare<[string], UsageRow>(
    'SELECT tool, request, times FROM toolgate_usage WHERE owner = ?',
  );
  const selectOwners = db.prepare<[], { owner: string; pairs: number }>(
    'SELECT owner, count(*) AS pairs FROM toolgate_usage GROUP BY owner ORDER BY owner',
  );
  const remove = db.prepare<[string]>('DELETE FROM toolgate_usage WHERE owner = ?');
  const record = db.transaction((owner: string, tool: string, request: string): void => {
    upsert.run(owner, tool, request, owner, tool);
    removeOldest.run(owner, tool, owner, tool);
  });

  return {
    record: async (owner, { request, tool }) =>
      queue.write(
        () => record(toStoredText(owner), toStoredText(tool), toStoredText(request)),
        MAX_LOCK_WAIT,
      ),
    list: async (owner) => toSortedPairs(select.all(toStoredText(owner))),
    owners: async () =>
      selectOwners.all().map(({ owner, pairs }) => ({ owner: fromStoredText(owner), pairs })),
    clear: (owner) => queue.write(() => remove.run(toStoredText(owner)).changes, MAX_LOCK_WAIT),
  };
}
