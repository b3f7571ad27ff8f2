import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/toolgate.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;
/** Control groups of version 1 and 2: where they are, and the names of their files. */
const GROUPS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
] as const;

interface MemoryGroup {
  readonly folder: string;
  readonly peakFile: string;
}

/** A gateway process that the kernel ends when it needs more memory than the limit. */
export class LimitedGateway {
  readonly #group: MemoryGroup | undefined;
  readonly #child: ChildProcess;
  url = '';

  constructor({ home, limitBytes }: { readonly home: string; readonly limitBytes: number }) {
    this.#group = createGroup(limitBytes);
    const args = [BIN, 'serve', '--port', '0', '--config', join(home, 'toolgate.json'), '--json'];
    // Without a control group the limit of the heap is the next best: it does not count buffers.
    const heap = `--max-old-space-size=${Math.round(limitBytes / 2 ** 20)}`;
    const command = this.#group
      ? [
          '/bin/sh',
          '-c',
          `echo $$ > ${this.#group.folder}/cgroup.procs && exec "$0" "$@"`,
          process.execPath,
          ...args,
        ]
      : [process.execPath, heap, ...args];
    this.#child = spawn(command[0]!, command.slice(1), {
      env: { ...process.env, TOOLGATE_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    process.on('exit', () => this.#child.kill('SIGKILL'));
  }

  get hasGroup(): boolean {
    return this.#group !== undefined;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The most memory that it has used so far; undefined without a control group. */
  get peakBytes(): number | undefined {
    return this.#group && Number(readFileSync(this.#group.peakFile, 'utf8'));
  }

  /** Resolves when the gateway accepts calls. */
  async ready(): Promise<void> {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    for (let printed = ''; this.url === ''; ) {
      const [chunk] = await once(this.#child.stdout!, 'data', { signal });
      printed += String(chunk);
      this.url = /"url":\s*"([^"]+)"/.exec(printed)?.[1] ?? '';
    }
  }

  async stop(): Promise<void> {
    if (this.isRunning) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exited;
    }
    if (this.#group) rmdirSync(this.#group.folder);
  }
}

function createGroup(limitBytes: number): MemoryGroup | undefined {
  for (const { root, limit, peak } of GROUPS) {
    const folder = join(root, `toolgate-fault-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    if (existsSync(join(folder, limit))) {
      writeFileSync(join(folder, limit), String(limitBytes));
      return { folder, peakFile: join(folder, peak) };
    }
    rmdirSync(folder);
  }
  return undefined;
}
