import type { Database } from 'better-sqlite3';

/** SQL for the wall clock (s), which decides when results and artifacts expire. The subquery is evaluated once a statement. */
export const NOW = '(SELECT toolgate_now())';

/**
 * SQL for the steady clock of the machine (ms). Every process that can share a SQLite file in WAL mode runs on the same
 * machine, so they all read the same clock, and it does not jump when the time is corrected.
 */
export const STEADY_MS = '(SELECT toolgate_steady_ms())';

export function registerClocks(db: Database): void {
  db.function('toolgate_now', () => Date.now() / 1_000);
  db.function('toolgate_steady_ms', () => Number(process.hrtime.bigint()) / 1e6);
}
