import type { PostgresConnections } from './connections.ts';

// One statement of this size stays far below the query timeout.
const STEP_SIZE = 1_000;

/** Removes expired results and artifacts in steps. The server reuses their space, by its autovacuum. */
export function removeExpired(db: PostgresConnections): () => Promise<void> {
  const claims = db.table('toolgate_claims');
  const artifacts = db.table('toolgate_artifacts');
  // Neither waits for a row, so nodes that sweep at once cannot deadlock.
  const statements = [
    `DELETE FROM ${claims} WHERE scope IN
       (SELECT scope FROM ${claims} WHERE state = 'done' AND expires_at <= now() LIMIT ${STEP_SIZE} FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    `DELETE FROM ${artifacts} WHERE (owner, handle) IN
       (SELECT owner, handle FROM ${artifacts} WHERE expires_at <= now() LIMIT ${STEP_SIZE} FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
  ];
  return async () => {
    for (const text of statements) while ((await db.query({ text })).length === STEP_SIZE);
  };
}
