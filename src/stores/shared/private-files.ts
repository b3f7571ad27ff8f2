import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';

/** Receives what an operator should know, and that does not prevent the store from working. */
export type OnWarning = (message: string) => void;

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/** Creates a folder that only its owner can use. An existing one keeps its mode. */
export function createPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
}

/** Creates an empty file that only its owner can use. Returns false where the file exists. */
export function createPrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', FILE_MODE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes the rights of other accounts from files and folders that exist, and warns where it cannot. */
export function makePrivate(paths: readonly string[], onWarning: OnWarning): void {
  // Windows has access lists instead of modes.
  if (process.platform === 'win32') return;
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats || (stats.mode & OTHERS) === 0) continue;
    try {
      // By path: opening and closing a SQLite file would drop the locks that this process holds on it.
      chmodSync(path, stats.isDirectory() ? FOLDER_MODE : FILE_MODE);
    } catch {
      onWarning(
        `Other accounts of this machine can read ${path}, and its mode cannot be changed. Make its owner run: chmod go= ${path}`,
      );
    }
  }
}
