import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { waitAtMost } from '../../../../base/async/timeout.ts';
import type { StdioTarget } from '../target.ts';

const IS_WINDOWS = process.platform === 'win32';
/** MCP asks a server to end at the end of its input. This is its time to do so before the first signal. */
const END_OF_INPUT_GRACE_MS = 2_000;
const SIGTERM_GRACE_MS = 5_000;
const POLL_MS = 20;

/** A child process and all processes that it starts. They have a process group of their own and are ended together. */
export class ProcessGroup {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<void>;
  #ending: Promise<void> | undefined;

  constructor({ command, args, env, cwd }: StdioTarget) {
    this.child = spawn(command, args, {
      env: { ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !IS_WINDOWS,
      windowsHide: true,
    });
    this.#exited = new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      // A command that cannot be started has an error and no exit.
      this.child.once('error', () => resolve());
    });
    if (this.child.pid !== undefined) register(this);
  }

  /** Ends the whole group: end of input, then SIGTERM, then SIGKILL. Its pipes are closed whoever still holds them. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Sends SIGKILL at once, for a gateway process that is about to exit. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  async #end(): Promise<void> {
    const { stdin, stdout, stderr } = this.child;
    stdin.end();
    await waitAtMost(this.#exited, { ms: END_OF_INPUT_GRACE_MS });
    // A leader that has exited leaves its children behind without a server: they have nothing to finish.
    this.#signal('SIGTERM');
    await this.#waitUntilGone(SIGTERM_GRACE_MS);
    this.#signal('SIGKILL');
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
    unregister(this);
  }

  async #waitUntilGone(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (this.#isRunning() && Date.now() < until) await pause(POLL_MS);
  }

  #isRunning(): boolean {
    return IS_WINDOWS ? this.#isLeaderRunning() : signalGroup(this.child.pid, 0);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (!IS_WINDOWS) return void signalGroup(this.child.pid, signal);
    // Windows has no process groups and no SIGTERM. The tree can be found only while its root is running.
    if (this.#isLeaderRunning()) {
      spawn('taskkill', ['/pid', String(this.child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    }
  }

  #isLeaderRunning(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }
}

/** Whether a process of the group received the signal. Signal 0 only asks whether there is one. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch (thrown) {
    // The group exists, but all of it belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const running = new Set<ProcessGroup>();
const FATAL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A terminal sends Ctrl-C to its own process group only, so a gateway that exits without `end` must end its groups
 * itself. After SIGKILL of the gateway the groups still get the end of their input from the operating system.
 */
function register(group: ProcessGroup): void {
  if (running.size === 0) {
    process.on('exit', killRunning);
    for (const signal of FATAL_SIGNALS) process.on(signal, killAndDie);
  }
  running.add(group);
}

function unregister(group: ProcessGroup): void {
  running.delete(group);
  if (running.size > 0) return;
  process.off('exit', killRunning);
  for (const signal of FATAL_SIGNALS) process.off(signal, killAndDie);
}

function killRunning(): void {
  for (const group of running) group.kill();
}

/** Where nobody else handles the signal, the process would have died by it, and does. */
function killAndDie(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killRunning();
  process.off(signal, killAndDie);
  process.kill(process.pid, signal);
}
