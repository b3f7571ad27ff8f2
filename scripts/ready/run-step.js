import { runChild } from '../../bin/child.js';
import { withoutAddresses } from './redact-registry.js';

/** Something the reader of the message can act on; shown without a stack. */
export class Problem extends Error {}

/** A signal ended the step: clean up on the way out, and explain nothing. */
export class Stopped extends Error {
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

// Standard error, so that what a task prints stays usable in a pipe.
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs a program whose output matters only when it fails. `whatToDo` receives that output. */
export async function runQuietly(command, args, { cwd, whatToDo }) {
  const { code, stoppedBy, output } = await runChild(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (stoppedBy) throw new Stopped(stoppedBy);
  if (code !== 0) throw new Problem(`${withoutAddresses(output.trim())}\n\n${whatToDo(output)}`);
}
