import type { ArtifactStore } from '../../contract/ports/artifact-store.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import type { PostgresConnections } from './connections.ts';

interface ArtifactRow {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

// Owners who never return leave artifacts behind. Each put clears a few, so that no put has to clear them all.
const SWEEP = 100;

// Unlike now(), which stands still from the start of a transaction: a put may have waited there for its turn.
const NOW = 'clock_timestamp()';

export function postgresArtifacts(db: PostgresConnections): ArtifactStore {
  const statements = statementsOn(db.table('toolgate_artifacts'));

  return {
    put: async (owner, artifact, { ttlMs, quotaBytes }) => {
      const size = artifact.bytes.byteLength;
      if (size > quotaBytes) {
        throw new Error(`An artifact of ${size} bytes is over the quota of ${quotaBytes}.`);
      }
      const key = toStoredText(owner);
      await db.query({ ...statements.sweep, values: [SWEEP] });
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
        if (rowCount === 0) throw new Error(`The handle ${artifact.handle} already stands for other bytes.`);
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

function statementsOn(table: string) {
  return {
    // Never waits for a row, so it cannot deadlock with a put that holds one.
    sweep: {
      name: 'toolgate_artifacts_sweep',
      text: `DELETE FROM ${table} WHERE (owner, handle) IN
        (SELECT owner, handle FROM ${table} WHERE expires_at <= now()
         ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    },
    // One owner's puts take turns: two at once would each make room for itself only. A statement of its own, because
    // the next one must see what the holder before committed.
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
      text: `INSERT INTO ${table} AS held (owner, handle, sha256, media_type, size, stored, expires_at, bytes)
        VALUES ($1, $2, $3, $4, $5,
          (SELECT coalesce(max(stored), 0) + 1 FROM ${table} WHERE owner = $1),
          ${NOW} + make_interval(secs => $6::double precision / 1000), $7)
        ON CONFLICT (owner, handle) DO UPDATE
          SET stored = excluded.stored, expires_at = excluded.expires_at
          WHERE held.sha256 = excluded.sha256`,
    },
    evict: {
      name: 'toolgate_artifacts_evict',
      text: `DELETE FROM ${table} WHERE owner = $1 AND stored IN
        (SELECT stored FROM
          (SELECT stored, sum(size) OVER (ORDER BY stored DESC) AS total FROM ${table} WHERE owner = $1) AS held
         WHERE total > $2::double precision)`,
    },
    select: {
      name: 'toolgate_artifacts_get',
      text: `SELECT sha256, media_type, bytes FROM ${table}
        WHERE owner = $1 AND handle = $2 AND expires_at > now()`,
    },
  };
}
