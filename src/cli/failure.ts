import { CommanderError } from 'commander';
import { ConfigError } from '../app/config/config-error.ts';
import { describeError } from '../contract/errors/catalogue.ts';
import { Fault } from '../contract/errors/fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printJson, say, type Terminal } from './terminal.ts';

/** A command that cannot be understood, with a sentence on how to write it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for is not there; the sentence says where to look. */
export class NotThere extends Error {
  override readonly name = 'NotThere';
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  readonly exit: ExitCode;
}

/** Says what went wrong and what to do next; for machines as JSON on standard output. */
export function reportFailure(terminal: Terminal, thrown: unknown, json: boolean): ExitCode {
  const { code, message, next, exit } = explain(thrown);
  if (exit === EXIT.ok) return exit;
  if (json) printJson(terminal, { error: { code, message, ...(next && { next }) } });
  // The parser of the command line has said it there already.
  else if (!(thrown instanceof CommanderError)) {
    say(terminal, `${code}: ${message}`);
    if (next) say(terminal, next);
  }
  return exit;
}

function explain(thrown: unknown): Failure {
  if (thrown instanceof CommanderError) return explainParsing(thrown);
  if (thrown instanceof UsageError) return { code: 'USAGE', message: thrown.message, exit: EXIT.usage };
  if (thrown instanceof NotThere) return { code: 'NOT_FOUND', message: thrown.message, exit: EXIT.refused };
  if (thrown instanceof ConfigError) return { code: 'CONFIG', message: thrown.message, exit: EXIT.usage };
  if (thrown instanceof Fault) {
    const { next } = describeError(thrown.code, thrown.variant);
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

/** Help and version end the parsing by a throw as well, with a zero. */
function explainParsing({ exitCode, message }: CommanderError): Failure {
  return {
    code: 'USAGE',
    message: message.replace(/^error: /, ''),
    next: 'See toolgate --help, or --help after a command.',
    exit: exitCode === 0 ? EXIT.ok : EXIT.usage,
  };
}
