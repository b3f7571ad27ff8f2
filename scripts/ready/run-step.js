import { runChild } from '../../bin/child.js';
import { redactRegistry } from './redact-registry.js';

/** A failure that the user can correct; printed without a stack. */
export class SetupError extends Error {}

/** A signal ended the step: clean up and exit without a message. */
export class StoppedBySignal extends Error {
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

// To standard error, so that the output of a task can be piped.
export function printStatus(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs a program and shows its output only if it fails. `adviceFor` turns that output into advice for the user. */
export async function runQuietly(command, args, { cwd, adviceFor }) {
  const { code, stoppedBy, output } = await runChild(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (stoppedBy) throw new StoppedBySignal(stoppedBy);
  if (code !== 0) throw new SetupError(`${redactRegistry(output.trim())}\n\n${adviceFor(output)}`);
}
