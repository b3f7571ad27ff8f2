import type { Stores } from '../../contract/ports/stores.ts';
import { safeError } from '../../telemetry/safe-error.ts';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../logger.ts';
import { startRetention } from '../operations/retention.ts';
import { LostCallsTimer } from './lost-calls-timer.ts';

// A command that opens the gateway for one call ends earlier, and never sweeps.
const SWEEP_INTERVAL_MS = 60_000;
const CHECK_INTERVAL_MS = 5_000;

/** What the stores of a running gateway need at intervals. */
export class StoreMaintenance {
  readonly #stores: Stores;
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #lostCalls: LostCallsTimer;
  #timers: readonly NodeJS.Timeout[] = [];
  #stopRetention = (): void => {};
  #sweeping: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(stores: Stores, settings: Settings, log: Logger) {
    this.#stores = stores;
    this.#settings = settings;
    this.#log = log;
    this.#lostCalls = new LostCallsTimer(stores, log);
  }

  start(): void {
    const { idempotency, receipts } = this.#settings;
    this.#lostCalls.start(idempotency.leaseMs);
    this.#stopRetention = startRetention(this.#stores.receipts, {
      keepDays: receipts.keepDays,
      onError: (cause) => this.#log.error({ err: safeError(cause) }, 'failed to prune the log'),
    });
    const sweep = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    const check = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
    this.#timers = [sweep, check];
  }

  /** Resolves when no sweep uses the stores any more. */
  async stop(): Promise<void> {
    this.#lostCalls.stop();
    this.#stopRetention();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
  }

  #sweep(): void {
    this.#sweeping ??= this.#stores
      .removeExpired()
      .catch((cause) => this.#log.error({ err: safeError(cause) }, 'failed to remove expired data'))
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  #check(): void {
    const { problem } = this.#stores;
    if (problem !== undefined && problem !== this.#problem) this.#log.error({ problem }, 'store unusable');
    this.#problem = problem;
  }
}
