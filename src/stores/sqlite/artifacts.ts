import type { Database } from 'better-sqlite3';
import type { Artifact, ArtifactStore } from '../../contract/ports/artifact-store.ts';
import { fromStoredText, toStoredText } from '../shared/stored-text.ts';
import { NOW } from './clock.ts';
import type { WriteQueue } from './write-queue.ts';

interface ArtifactRow {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

type PutOptions = Parameters<ArtifactStore['put']>[2];

// Expired artifacts of owners that store nothing more stay behind. Each put removes a few of them.
const MAX_SWEPT = 100;
// How long a call waits while another process holds the write lock.
const MAX_LOCK_WAIT = { maxWaitMs: 5_000 };

export function sqliteArtifacts(db: Database, queue: WriteQueue): ArtifactStore {
  const sweep = db.prepare<[number]>(
    `DELETE FROM toolgate_artifacts WHERE rowid IN
       (SELECT rowid FROM toolgate_artifacts WHERE expires_at <= ${NOW} ORDER BY expires_at LIMIT ?)`,
  );
  const expire = db.prepare<[string]>(
    `DELETE FROM toolgate_artifacts WHERE owner = ? AND expires_at <= ${NOW}`,
  );
  const upsert = db.prepare(
    `INSERT INTO toolgate_artifacts AS existing (owner, handle, sha256, media_type, size, stored, expires_at, bytes)
     VALUES (@owner, @handle, @sha256, @mediaType, @size,
       (SELECT coalesce(max(stored), 0) + 1 FROM toolgate_artifacts WHERE owner = @owner),
       ${NOW} + @ttlMs / 1000.0, @bytes)
     ON CONFLICT (owner, handle) DO UPDATE
       SET stored = excluded.stored, expires_at = excluded.expires_at
       WHERE existing.sha256 = excluded.sha256`,
  );
  const evict = db.prepare<{ owner: string; quotaBytes: number }>(
    `DELETE FROM toolgate_artifacts WHERE owner = @owner AND stored IN
       (SELECT stored FROM
         (SELECT stored, sum(size) OVER (ORDER BY stored DESC) AS total FROM toolgate_artifacts WHERE owner = @owner)
        WHERE total > @quotaBytes)`,
  );
  const select = db.prepare<[string, string], ArtifactRow>(
    `SELECT sha256, media_type, bytes FROM toolgate_artifacts
     WHERE owner = ? AND handle = ? AND expires_at > ${NOW}`,
  );

  const put = db.transaction((owner: string, artifact: Artifact, { ttlMs, quotaBytes }: PutOptions): void => {
    sweep.run(MAX_SWEPT);
    expire.run(owner);
    const { changes } = upsert.run({
      owner,
      handle: toStoredText(artifact.handle),
      sha256: toStoredText(artifact.sha256),
      mediaType: toStoredText(artifact.mediaType),
      size: artifact.bytes.byteLength,
      ttlMs,
      bytes: artifact.bytes,
    });
    if (changes === 0) throw new Error(`The handle ${artifact.handle} already has other bytes.`);
    evict.run({ owner, quotaBytes });
  });

  return {
    put: async (owner, artifact, options) => {
      const size = artifact.bytes.byteLength;
      if (size > options.quotaBytes) {
        throw new Error(`An artifact of ${size} bytes exceeds the quota of ${options.quotaBytes} bytes.`);
      }
      await queue.write(() => put(toStoredText(owner), artifact, options), MAX_LOCK_WAIT);
    },
    get: async (owner, handle) => {
      const row = select.get(toStoredText(owner), toStoredText(handle));
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
