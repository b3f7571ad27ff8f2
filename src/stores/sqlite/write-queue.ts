import type { Database } from 'better-sqlite3';
import { appendBatch, type BatchOutcome } from '../append-batch.ts';

export interface WriteQueue {
  /** Runs the job in a transaction that it may share with others; resolves when that is committed. */
  write<Result>(job: () => Result): Promise<Result>;
  close(): Promise<void>;
}

interface Job {
  readonly run: () => unknown;
  result?: unknown;
}

/** One line for everything that calls write: what arrives in one turn of the event loop is committed together. */
export function writeQueue(db: Database): WriteQueue {
  const runAll = db.transaction(
    (jobs: readonly Job[]): BatchOutcome =>
      jobs.map((job) => {
        try {
          job.result = job.run();
          return undefined;
        } catch (error) {
          // A full disk ends the whole transaction, and the writes before this one with it.
          if (!db.inTransaction) throw error;
          return error as Error;
        }
      }),
  );
  const batch = appendBatch<Job>(runAll.immediate);
  return {
    write: async <Result>(run: () => Result) => {
      const job: Job = { run };
      await batch.append(job);
      return job.result as Result;
    },
    close: batch.close,
  };
}
