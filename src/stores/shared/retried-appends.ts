import { backoffMs } from '../../base/async/backoff.ts';
import {
  DuplicateEntryError,
  type LogEntry,
  type LogHealth,
  type ReceiptLog,
} from '../../contract/ports/receipt-log.ts';

/** Called with entries that will never be in the log. */
export type OnLostEntries = (entries: readonly LogEntry[], cause: unknown) => void;

export interface AppendOptions {
  readonly write: ReceiptLog['append'];
  /** Whether the engine refused the entry itself, so that no retry can succeed. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly onLost?: OnLostEntries | undefined;
}

// Bounds the memory that an outage of the store can take.
const MAX_PENDING = 10_000;
const BATCH_SIZE = 500;

/** Retries failed appends with backoff, in their order, until they are written or the log is closed. */
export class RetriedAppends implements Pick<ReceiptLog, 'append' | 'health'> {
  readonly #write: ReceiptLog['append'];
  readonly #isRefusal: (error: unknown) => boolean;
  readonly #onLost: OnLostEntries;
  readonly #pending = new Set<LogEntry>();
  #lost = 0;
  #failures = 0;
  #lastError: unknown;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ write, isRefusal, onLost = () => {} }: AppendOptions) {
    this.#write = write;
    this.#isRefusal = isRefusal;
    this.#onLost = onLost;
  }

  get health(): LogHealth {
    return { pending: this.#pending.size, lost: this.#lost };
  }

  async append(entry: LogEntry): Promise<number> {
    try {
      return await this.#write(entry);
    } catch (error) {
      const isFinal = error instanceof DuplicateEntryError || this.#isRefusal(error);
      if (entry.kind !== 'intent' && !isFinal) this.#enqueue(entry, error);
      throw error;
    }
  }

  /** Makes one more attempt for what is pending, and reports the rest as lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#writePending();
    this.#giveUp([...this.#pending], this.#lastError);
  }

  #enqueue(entry: LogEntry, cause: unknown): void {
    this.#pending.add(entry);
    if (this.#isClosed) this.#giveUp([entry], cause);
    else this.#schedule();
    if (this.#pending.size > MAX_PENDING) this.#giveUp([this.#pending.values().next().value!], cause);
  }

  #giveUp(entries: readonly LogEntry[], cause: unknown): void {
    for (const entry of entries) this.#pending.delete(entry);
    this.#lost += entries.length;
    if (entries.length > 0) this.#onLost(entries, cause);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#running = this.#retry();
      },
      backoffMs(this.#failures + 1),
    ).unref();
  }

  async #retry(): Promise<void> {
    const isAvailable = await this.#writePending();
    this.#timer = undefined;
    this.#failures = isAvailable ? 0 : this.#failures + 1;
    if (this.#pending.size > 0 && !this.#isClosed) this.#schedule();
  }

  /** Resolves to false when the store is still not available. */
  async #writePending(): Promise<boolean> {
    let isAvailable = true;
    while (isAvailable && this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, BATCH_SIZE);
      const results = await Promise.allSettled(batch.map((entry) => this.#write(entry)));
      isAvailable = results.map((result, at) => this.#settle(batch[at]!, result)).every(Boolean);
    }
    return isAvailable;
  }

  /** Whether the entry needs no further attempt. */
  #settle(entry: LogEntry, result: PromiseSettledResult<number>): boolean {
    // An earlier attempt may have been committed although its answer was lost: then the entry is a duplicate.
    if (result.status === 'fulfilled' || result.reason instanceof DuplicateEntryError) {
      this.#pending.delete(entry);
      return true;
    }
    this.#lastError = result.reason;
    if (!this.#isRefusal(result.reason)) return false;
    this.#giveUp([entry], result.reason);
    return true;
  }
}
