import { MAX_PAIRS_PER_TOOL, type UsageStore } from '../../contract/ports/usage-store.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import { toSortedPairs, type UsageRow } from '../shared/usage-row.ts';
import type { PostgresConnections } from './connections.ts';

export function postgresUsage(db: PostgresConnections): UsageStore {
  const table = db.table('toolgate_usage');
  return {
    record: async (owner, { request, tool }) => {
      const key = [toStoredText(owner), toStoredText(tool)];
      await db.transaction(async (client) => {
        // Writes for one owner and tool take turns: two at once would get the same number.
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1 || $2, 2))', key);
        await client.query(
          `INSERT INTO ${table} AS existing (owner, tool, request, times, seen)
           VALUES ($1, $2, $3, 1, (SELECT coalesce(max(seen), 0) + 1 FROM ${table} WHERE owner = $1 AND tool = $2))
           ON CONFLICT (owner, tool, request) DO UPDATE SET times = existing.times + 1, seen = excluded.seen`,
          [...key, toStoredText(request)],
        );
        await client.query(
          `DELETE FROM ${table} WHERE owner = $1 AND tool = $2 AND seen NOT IN
             (SELECT seen FROM ${table} WHERE owner = $1 AND tool = $2 ORDER BY seen DESC LIMIT ${MAX_PAIRS_PER_TOOL})`,
          key,
        );
      });
    },
    list: async (owner) => {
      const text = `SELECT tool, request, times::integer AS times FROM ${table} WHERE owner = $1`;
      return toSortedPairs(await db.query<UsageRow>({ text, values: [toStoredText(owner)] }));
    },
    owners: async () => {
      const text = `SELECT owner, count(*)::integer AS pairs FROM ${table} GROUP BY owner ORDER BY owner`;
      const rows = await db.query<{ owner: string; pairs: number }>({ text });
      return rows.map(({ owner, pairs }) => ({ owner: fromStoredText(owner), pairs }));
    },
    clear: async (owner) => {
      const text = `DELETE FROM ${table} WHERE owner = $1 RETURNING 1`;
      return (await db.query({ text, values: [toStoredText(owner)] })).length;
    },
  };
}
