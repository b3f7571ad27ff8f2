import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Makes commits survive a loss of power. The engine writes a commit to the write-ahead log and leaves the disk to the system;
 * this syncs the log outside of the event loop. Commits that wait at the same time share one sync.
 */
export class WalSync {
  readonly #file: string;
  #descriptor: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: unknown;

  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /** Resolves when every commit made so far is on disk. */
  flush(): Promise<void> {
    // The running sync may have started before the latest commit.
    this.#next ??= this.#syncAfter(this.#running);
    return this.#next;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#running)?.catch(() => {});
    if (this.#descriptor !== undefined) await promisify(close)(this.#descriptor);
    this.#descriptor = undefined;
  }

  async #syncAfter(previous: Promise<void> | undefined): Promise<void> {
    await previous?.catch(() => {});
    this.#running = this.#next;
    this.#next = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    // Unlike the database and its -shm, this file carries no locks that a second descriptor could drop.
    this.#descriptor ??= await promisify(open)(this.#file, 'r+');
    try {
      await promisify(fdatasync)(this.#descriptor);
    } catch (error) {
      // A later sync may succeed although this one lost the data, so the failure is final.
      this.#failure = error;
      throw error;
    }
  }
}
