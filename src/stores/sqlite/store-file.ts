import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createPrivateFile,
  createPrivateFolder,
  makePrivate,
  type OnWarning,
} from '../shared/private-files.ts';

export const IN_MEMORY = ':memory:';

const PAGE_SIZE = 4_096;
/** Another process may be creating the file at this moment, or closing it. */
const SETTLE_MS = 1_000;
const POLL_MS = 50;

/** Creates the file, or checks that an existing one is complete. Only its owner can read it afterwards. */
export async function prepareStoreFile(file: string, onWarning: OnWarning): Promise<void> {
  if (file === IN_MEMORY) return;
  createPrivateFolder(dirname(file));
  if (createPrivateFile(file)) return;
  for (const end = performance.now() + SETTLE_MS; lossOf(file) !== undefined; await pause(POLL_MS)) {
    if (performance.now() > end) throw new Error(lossOf(file));
  }
  // The engine gives new -wal and -shm files the mode of the database.
  makePrivate([file, `${file}-wal`, `${file}-shm`], onWarning);
}

/**
 * What is missing, where the files show it. By name and size only: opening and closing a SQLite file would drop the locks
 * that this process holds on it.
 */
function lossOf(file: string): string | undefined {
  const size = sizeOf(file);
  const hasLog = sizeOf(`${file}-wal`) !== undefined;
  if (size === 0) {
    return 'it is empty: its keys and receipts are lost. Restore it from a backup, or remove it to create a new store.';
  }
  // A clean end removes -shm before -wal, and a crash leaves both. A database of one page has no tables yet.
  const isLogLost = sizeOf(`${file}-shm`) !== undefined || (size ?? 0) <= PAGE_SIZE;
  if (size === undefined || hasLog || !isLogLost) return undefined;
  return `${file}-wal is missing: the latest keys and receipts are lost. Restore the store from a backup, or remove ${file} and ${file}-shm to create a new one.`;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Notices that the file of an open store was removed or replaced: what is written then is lost, and keys are used twice. */
export class StoreFileWatch {
  readonly #file: string;
  readonly #opened: string | undefined;
  #problem: string | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#opened = identityOf(file);
  }

  /** The result of the latest check. */
  get problem(): string | undefined {
    return this.#problem;
  }

  check(): string | undefined {
    if (this.#file === IN_MEMORY) return undefined;
    const found = identityOf(this.#file);
    if (found === this.#opened) this.#problem = undefined;
    else {
      const what = found === undefined ? 'removed' : 'replaced';
      this.#problem = `The store ${this.#file} was ${what} while it is in use. Restore it, then restart toolgate.`;
    }
    return this.#problem;
  }
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
