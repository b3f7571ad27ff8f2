import { CommanderError } from 'commander';
import { ConfigError } from '../app/config-error.ts';
import { Fault, formsOf } from '../contract/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printJson, say, type Terminal } from './terminal.ts';

/** Says what went wrong and what to do next; for machines as JSON on standard output. */
export function reportFailure(terminal: Terminal, thrown: unknown, json: boolean): ExitCode {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { code, message, next, exit } = explain(thrown);
  if (json) printJson(terminal, { error: { code, message, ...(next && { next }) } });
  else {
    say(terminal, `${code}: ${message}`);
    if (next) say(terminal, next);
  }
  return exit;
}

function explain(thrown: unknown): { code: string; message: string; next?: string; exit: ExitCode } {
  if (thrown instanceof ConfigError) return { code: 'CONFIG', message: thrown.message, exit: EXIT.usage };
  if (thrown instanceof Fault) {
    const { next } = formsOf(thrown.code, thrown.variant);
    return { code: thrown.code, message: thrown.message, next, exit: EXIT.refused };
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if ('code' in error && error.code === 'EADDRINUSE') {
    return {
      code: 'EADDRINUSE',
      message: 'The port is taken.',
      next: 'Choose another: --port 0 takes a free one.',
      exit: EXIT.failed,
    };
  }
  return { code: 'FAILED', message: error.message, exit: EXIT.failed };
}
