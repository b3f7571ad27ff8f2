import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const sentByTerminals = ['SIGINT', 'SIGHUP'];

/**
 * Runs a program to its end and passes signals on to it. Not those of a terminal, which tells the whole process group itself: a
 * second Ctrl-C means "at once" to many programs. Nor repeats, because npm repeats to us what the group was already told.
 *
 * @returns how it ended: `code` or `signal` of the program, `stoppedBy` when a signal came to us meanwhile, and the `output` of
 * a program whose stdio was piped.
 */
export function runChild(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const output = collectOutput(child);
    const signals = passSignalsOn(child);
    child.once('error', (error) => {
      signals.release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      signals.release();
      resolve({ code, signal, stoppedBy: signals.received(), output: output() });
    });
  });
}

/** Makes this process end as the other one did, so that shells and supervisors see no difference. */
export function endLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code;
}

function collectOutput(child) {
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function passSignalsOn(child) {
  const received = new Set();
  const onSignal = (signal) => {
    if (received.has(signal)) return;
    received.add(signal);
    if (!(hasTerminal() && sentByTerminals.includes(signal))) child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, onSignal);
  return {
    received: () => [...received][0],
    release: () => {
      for (const signal of passedOn) process.off(signal, onSignal);
    },
  };
}

// Asks the descriptors: touching process.stdin would open it here and take input from the child.
function hasTerminal() {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}
