import type { Database } from 'better-sqlite3';

/** One line for everything that calls write. Each resolves when it is committed. */
export interface WriteQueue {
  /** Shares a transaction with what comes in the same turn of the event loop, and with the statement that follows it. */
  write<Result>(job: () => Result): Promise<Result>;
  /**
   * A single statement that its call waits for. While calls come one at a time nothing is gained by waiting for others:
   * it is written at once with whatever waits, and needs no transaction where nothing does.
   */
  writeNext<Result>(statement: () => Result): Promise<Result>;
  /** Refuses what comes later; what came before is written. */
  close(): void;
}

interface Job {
  readonly run: () => unknown;
  readonly isStatement: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Why this one could not be written; its neighbours may have been. */
  refusal?: unknown;
  result?: unknown;
}

// A transaction of this size stays well under ten milliseconds, which is how long it may hold up other calls.
const MAX_BATCH = 500;

export function writeQueue(db: Database): WriteQueue {
  const waiting: Job[] = [];
  const company = new ArrivalRate();
  let isDue = false;
  let isClosed = false;

  const together = db.transaction((jobs: readonly Job[]): void => {
    for (const job of jobs) {
      attempt(job);
      // A full disk ends the whole transaction, and the writes before this one with it.
      if (job.refusal !== undefined && !db.inTransaction) throw job.refusal;
    }
  });

  function flush(): void {
    const jobs = waiting.splice(0, MAX_BATCH);
    if (waiting.length > 0) flushSoon();
    try {
      if (jobs.length === 1 && jobs[0]!.isStatement) attempt(jobs[0]!);
      else together.immediate(jobs);
    } catch (refusal) {
      for (const { reject } of jobs) reject(refusal);
      return;
    }
    for (const { resolve, reject, result, refusal } of jobs) {
      if (refusal === undefined) resolve(result);
      else reject(refusal);
    }
  }

  function flushSoon(): void {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      if (waiting.length > 0) flush();
    });
  }

  function add<Result>(run: () => Result, isStatement: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('The store is closed.'));
      waiting.push({ run, isStatement, resolve: resolve as Job['resolve'], reject });
      if (isStatement && company.isIdle()) flush();
      else flushSoon();
    });
  }

  return {
    write: (job) => add(job, false),
    writeNext: (statement) => add(statement, true),
    close: () => {
      isClosed = true;
      while (waiting.length > 0) flush();
    },
  };
}

function attempt(job: Job): void {
  try {
    job.result = job.run();
  } catch (refusal) {
    job.refusal = refusal;
  }
}

/** A commit costs far more than a row: who comes in a crowd is worth waiting for, and the last turn tells of the next. */
class ArrivalRate {
  #inThisTurn = 0;
  #inLastTurn = 0;

  isIdle(): boolean {
    this.#inThisTurn++;
    if (this.#inThisTurn > 1) return false;
    setImmediate(() => {
      this.#inLastTurn = this.#inThisTurn;
      this.#inThisTurn = 0;
    });
    return this.#inLastTurn <= 1;
  }
}
