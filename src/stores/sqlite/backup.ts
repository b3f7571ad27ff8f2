import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { createPrivateFile } from '../shared/private-files.ts';

/** Writes a consistent copy, with what is still in the write-ahead log, while other processes go on. */
export async function backUp(db: Database, target: string): Promise<void> {
  const part = `${target}.part`;
  if (existsSync(target)) throw new Error(`${target} exists. Name a new file for the backup.`);
  if (!createPrivateFile(part))
    throw new Error(`${part} exists: another backup is running, or one failed. Remove it.`);
  try {
    await db.backup(part);
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}
