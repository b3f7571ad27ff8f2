import { destination, type Logger, pino } from 'pino';

export type { Logger };

/** Structured lines on standard error: standard output belongs to answers, and on stdio to the protocol. */
export function makeLogger(level: string): Logger {
  return pino({ level, base: undefined }, destination({ fd: 2, sync: true }));
}
