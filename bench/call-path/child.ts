/** Processes that are ours to end: at the end, on Ctrl-C and on failure alike. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  /** Rejects when the process ends, with what it printed last. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
}

const PATIENCE_MS = 3_000;
const KEPT_STDERR = 2_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

export function startNode(args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  // A group of its own, so that whatever it starts itself can be ended with it.
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let stderr = '';
  // Both streams are read to the end: a child that logs every request would stop at a full pipe.
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-KEPT_STDERR);
  });
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`it ended with ${signal ?? code}: ${lastLine(stderr)}`));
  });
  const ended = gone.then((reason): never => {
    throw new Error(reason);
  });
  ended.catch(() => {});
  return {
    pid: child.pid ?? 0,
    stdout: child.stdout,
    ended,
    end: async () => {
      signalGroup(child, 'SIGTERM');
      await Promise.race([gone, sleep(PATIENCE_MS, undefined, { ref: false })]);
      // Also after a quiet end: a grandchild may have outlived its parent.
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
    // Nobody is left in the group.
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'it printed nothing';
}

/** A loopback port that was free a moment ago; asked for by servers that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
