/** Child processes of the benchmark. They are stopped at the end, on Ctrl-C and on failure. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  /** Rejects when the process exits, with the last line that it printed. */
  readonly exited: Promise<never>;
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 3_000;
const MAX_STDERR_LENGTH = 2_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

export function startNode(args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  return startProgram(process.execPath, args, env);
}

export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  // A separate process group, so that the processes it starts can be stopped with it.
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let stderr = '';
  // Both streams are read to the end: a child that logs every request would block on a full pipe.
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
  });
  const exit = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`exited with ${signal ?? code}: ${lastLine(stderr)}`));
  });
  const exited = exit.then((reason): never => {
    throw new Error(reason);
  });
  exited.catch(() => {});
  return {
    pid: child.pid ?? 0,
    stdout: child.stdout,
    exited,
    stop: async () => {
      signalGroup(child, 'SIGTERM');
      await Promise.race([exit, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      // Also after a normal exit: a grandchild may still run.
      signalGroup(child, 'SIGKILL');
      running.delete(child);
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no process left.
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'no output';
}

/** A loopback port that is free now, for servers that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
