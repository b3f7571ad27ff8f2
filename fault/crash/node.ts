import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/toolgate.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface NodeOptions {
  readonly port: number;
  readonly config: string;
  readonly home: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Short, so that the keys of a gateway that was killed are free soon. */
export const LEASE_MS = 1_000;

/** Writes the config of gateways that share a store and an upstream, and returns its path. */
export function writeNodeConfig(folder: string, store: object, upstreamUrl: string): string {
  const config = join(folder, 'toolgate.json');
  const settings = {
    store,
    idempotency: { leaseMs: LEASE_MS },
    log: { level: 'error' },
    upstreams: { shop: { url: upstreamUrl } },
  };
  writeFileSync(config, JSON.stringify(settings));
  return config;
}

/** A gateway process that can be paused, or killed with SIGKILL and started again at the same address. */
export class GatewayNode {
  readonly url: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  constructor({ port, config, home, env }: NodeOptions) {
    this.url = `http://127.0.0.1:${port}/mcp`;
    this.#args = [BIN, 'serve', '--port', String(port), '--config', config, '--json'];
    this.#env = { ...process.env, ...env, TOOLGATE_HOME: home };
  }

  /** Resolves when the gateway accepts calls. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, this.#args, {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    this.#child = child;
    let errors = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      errors = (errors + chunk).slice(-2_000);
    });
    const ready = once(child.stdout!, 'data', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    const exited = once(child, 'exit').then(() => {
      throw new Error(`The gateway exited before it was ready: ${errors}`);
    });
    await Promise.race([ready, exited]);
    exited.catch(() => {});
  }

  /** Stops the process for a time, as a debugger, a suspended container or Ctrl-Z does. */
  async pause(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await pause(ms);
    this.#child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    running.delete(child);
  }
}
