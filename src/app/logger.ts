import { destination, type Logger, pino } from 'pino';
import { redact } from '../redaction/redact.ts';
import { makeRuleSet, type RuleSet } from '../redaction/rule-set.ts';

export type { Logger };

/** Structured lines on standard error: standard output belongs to answers, and on stdio to the protocol. */
export function makeLogger(level: string, secrets: RuleSet = makeRuleSet()): Logger {
  const stderr = destination({ fd: 2, sync: true });
  // The whole line, whatever put it together: an error's cause may quote what an upstream was sent.
  return pino({ level, base: undefined }, { write: (line) => stderr.write(redact(line, secrets).text) });
}
