import { destination, type Logger, pino } from 'pino';
import { escapeHidden } from '../base/text/plain-text.ts';
import { redact } from '../redaction/redact.ts';
import { makeRuleSet, type RuleSet } from '../redaction/rule-set.ts';

export type { Logger };

/** Writes JSON lines to standard error: standard output is for results, and on stdio for the protocol. */
export function makeLogger(level: string, secrets: RuleSet = makeRuleSet()): Logger {
  const stderr = destination({ fd: 2, sync: true });
  // Redacts the finished line: the cause of an error may quote a request to an upstream.
  const write = (line: string): void => {
    stderr.write(escapeHidden(redact(line, secrets).text));
  };
  return pino({ level, base: undefined }, { write });
}
