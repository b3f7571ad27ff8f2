import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { StormFault } from './storm.ts';

const FAULT_MS = 2_500;
const DISK_MEGABYTES = 256;

/** A folder for the store, on a small disk of its own where this account may mount one. */
export interface SmallDisk {
  readonly folder: string;
  readonly isMounted: boolean;
  unmount(): void;
}

export function mountSmallDisk(parent: string): SmallDisk {
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'none', folder], {
      stdio: 'ignore',
    });
    return { folder, isMounted: true, unmount: () => execFileSync('umount', [folder]) };
  } catch {
    return { folder, isMounted: false, unmount: () => {} };
  }
}

export function sqliteFaults(file: string, disk: SmallDisk): StormFault[] {
  const lock: StormFault = {
    name: 'locked file',
    inject: async () => {
      const other = new SqliteDatabase(file, { timeout: 10_000 });
      other.exec('BEGIN IMMEDIATE');
      await pause(FAULT_MS);
      other.exec('ROLLBACK');
      other.close();
    },
  };
  const fullDisk: StormFault = {
    name: 'full disk',
    inject: async () => {
      const filler = join(disk.folder, 'filler');
      const { bavail, bsize } = statfsSync(disk.folder);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch {
        // The gateways took the rest meanwhile.
      }
      await pause(FAULT_MS);
      rmSync(filler);
    },
  };
  return disk.isMounted ? [lock, fullDisk] : [lock];
}
