import type { ArtifactStore } from '../../contract/ports/artifact-store.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import type { PostgresConnections } from './connections.ts';

interface ArtifactRow {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

// Expired artifacts of owners that store nothing more stay behind. Each put removes a few of them.
const MAX_SWEPT = 100;

// now() is the start of the transaction, and a put may have waited for a lock since then.
const NOW = 'clock_timestamp()';

export function postgresArtifacts(db: PostgresConnections): ArtifactStore {
  const statements = statementsFor(db.table('toolgate_artifacts'));

  return {
    put: async (owner, artifact, { ttlMs, quotaBytes }) => {
      const size = artifact.bytes.byteLength;
      if (size > quotaBytes) {
        throw new Error(`An artifact of ${size} bytes exceeds the quota of ${quotaBytes} bytes.`);
      }
      const key = toStoredText(owner);
      await db.query({ ...statements.sweep, values: [MAX_SWEPT] });
      await db.transaction(async (client) => {
        await client.query({ ...statements.lock, values: [key] });
        await client.query({ ...statements.expire, values: [key] });
        const { rowCount } = await client.query({
          ...statements.upsert,
          values: [
            key,
            toStoredText(artifact.handle),
            toStoredText(artifact.sha256),
            toStoredText(artifact.mediaType),
            size,
            ttlMs,
            artifact.bytes,
          ],
        });
        if (rowCount === 0) throw new Error(`The handle ${artifact.handle} already has other bytes.`);
        await client.query({ ...statements.evict, values: [key, quotaBytes] });
      });
    },
    get: async (owner, handle) => {
      const values = [toStoredText(owner), toStoredText(handle)];
      const [row] = await db.query<ArtifactRow>({ ...statements.select, values });
      if (row === undefined) return undefined;
      return {
        handle,
        sha256: fromStoredText(row.sha256),
        mediaType: fromStoredText(row.media_type),
        bytes: new Uint8Array(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength),
      };
    },
  };
}

function statementsFor(table: string) {
  return {
    // Never waits for a row, so it cannot deadlock with a put that holds one.
    sweep: {
      name: 'toolgate_artifacts_sweep',
      text: `DELETE FROM ${table} WHERE (owner, handle) IN
        (SELECT owner, handle FROM ${table} WHERE expires_at <= now()
         ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    },
    // Puts of one owner take turns, because two at once would each evict for itself only. The lock is a statement of its
    // own, because the next statement must see what the previous holder committed.
    lock: {
      name: 'toolgate_artifacts_lock',
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 1))',
    },
    expire: {
      name: 'toolgate_artifacts_expire',
      text: `DELETE FROM ${table} WHERE owner = $1 AND expires_at <= ${NOW}`,
    },
    upsert: {
      name: 'toolgate_artifacts_upsert',
      text: `INSERT INTO ${table} AS existing (owner, handle, sha256, media_type, size, stored, expires_at, bytes)
        VALUES ($1, $2, $3, $4, $5,
          (SELECT coalesce(max(stored), 0) + 1 FROM ${table} WHERE owner = $1),
          ${NOW} + make_interval(secs => $6::double precision / 1000), $7)
        ON CONFLICT (owner, handle) DO UPDATE
          SET stored = excluded.stored, expires_at = excluded.expires_at
          WHERE existing.sha256 = excluded.sha256`,
    },
    evict: {
      name: 'toolgate_artifacts_evict',
      text: `DELETE FROM ${table} WHERE owner = $1 AND stored IN
        (SELECT stored FROM
          (SELECT stored, sum(size) OVER (ORDER BY stored DESC) AS total FROM ${table} WHERE owner = $1) AS sizes
         WHERE total > $2::double precision)`,
    },
    select: {
      name: 'toolgate_artifacts_get',
      text: `SELECT sha256, media_type, bytes FROM ${table}
        WHERE owner = $1 AND handle = $2 AND expires_at > now()`,
    },
  };
}
