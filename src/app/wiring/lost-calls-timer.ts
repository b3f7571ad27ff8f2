import type { Logger } from '../logger.ts';
import { type Records, recordLostCalls } from '../operations/lost-calls.ts';

/** Records lost calls at intervals, because a process is known to have died only when its lease has expired. */
export class LostCallsTimer {
  readonly #records: Records;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(records: Records, log: Logger) {
    this.#records = records;
    this.#log = log;
  }

  start(intervalMs: number): void {
    const record = (): void => {
      recordLostCalls(this.#records).catch((cause) =>
        this.#log.error({ err: cause }, 'failed to record lost calls'),
      );
    };
    record();
    this.#timer = setInterval(record, intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
