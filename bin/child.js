import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const terminalSignals = ['SIGINT', 'SIGHUP'];

/**
 * Runs a program to its end and forwards signals to it. A signal of the terminal is not forwarded, because the terminal sends it
 * to the whole process group and many programs take a second Ctrl-C as "at once". A repeated signal is not forwarded either,
 * because npm repeats signals that the group already received.
 *
 * @returns `code` or `signal` of the program, `stoppedBy` if this process received a signal meanwhile, and the `output` of a program
 * whose stdio was piped.
 */
export function runChild(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const output = collectOutput(child);
    const signals = forwardSignals(child);
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

/** Ends this process with the exit code or signal of the other one, so that shells and supervisors see no difference. */
export function exitLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code;
}

function collectOutput(child) {
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function forwardSignals(child) {
  const received = new Set();
  const onSignal = (signal) => {
    if (received.has(signal)) return;
    received.add(signal);
    if (!(hasTerminal() && terminalSignals.includes(signal))) child.kill(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, onSignal);
  return {
    received: () => [...received][0],
    release: () => {
      for (const signal of forwardedSignals) process.off(signal, onSignal);
    },
  };
}

// Checks the descriptors, because access to process.stdin would open it here and take input from the child.
function hasTerminal() {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}
