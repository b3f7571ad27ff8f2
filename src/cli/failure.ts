import { CommanderError } from 'commander';
import { ConfigError } from '../app/config/config-error.ts';
import { AwaitedCallError } from '../app/operations/resolve-call.ts';
import { describeError } from '../contract/errors/catalogue.ts';
import { Fault } from '../contract/errors/fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printJson, printStderr, type Terminal } from './terminal.ts';

/** An invalid command line. The message states how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A requested item does not exist. The message states how to list the existing ones. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  readonly exit: ExitCode;
}

/** Reports a failure and its next step on standard error, or with `--json` as JSON on standard output. */
export function reportFailure(terminal: Terminal, thrown: unknown, json: boolean): ExitCode {
  const { code, message, next, exit } = explain(thrown);
  if (exit === EXIT.ok) return exit;
  if (json) printJson(terminal, { error: { code, message, ...(next && { next }) } });
  // The parser of the command line has printed its own errors already.
  else if (!(thrown instanceof CommanderError)) {
    printStderr(terminal, `${code}: ${message}`);
    if (next) printStderr(terminal, next);
  }
  return exit;
}

function explain(thrown: unknown): Failure {
  if (thrown instanceof CommanderError) return explainParsing(thrown);
  if (thrown instanceof UsageError) return { code: 'USAGE', message: thrown.message, exit: EXIT.usage };
  if (thrown instanceof NotFoundError)
    return { code: 'NOT_FOUND', message: thrown.message, exit: EXIT.refused };
  if (thrown instanceof AwaitedCallError) {
    const next = 'Try again later, or give --force if you are certain of the outcome.';
    return { code: 'AWAITED', message: thrown.message, next, exit: EXIT.refused };
  }
  if (thrown instanceof ConfigError) return { code: 'CONFIG', message: thrown.message, exit: EXIT.usage };
  if (thrown instanceof Fault) {
    const { next } = describeError(thrown.code, thrown.variant);
    return { code: thrown.code, message: thrown.message, next, exit: EXIT.refused };
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if ('code' in error && error.code === 'EADDRINUSE') {
    return {
      code: 'EADDRINUSE',
      message: 'The port is in use.',
      next: 'Choose another port with --port; --port 0 picks a free one.',
      exit: EXIT.failed,
    };
  }
  return { code: 'FAILED', message: error.message, exit: EXIT.failed };
}

/** Commander also throws for help and version, with exit code 0. */
function explainParsing({ exitCode, message }: CommanderError): Failure {
  return {
    code: 'USAGE',
    message: message.replace(/^error: /, ''),
    next: 'See toolgate --help, or toolgate COMMAND --help.',
    exit: exitCode === 0 ? EXIT.ok : EXIT.usage,
  };
}
