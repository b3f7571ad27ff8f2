/** Starts the servers of this folder, and the official servers from their packages. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';

const require = createRequire(import.meta.url);

export type StdioServer = 'v1-stdio' | 'v2-stdio' | 'either' | 'broken' | 'raw-stdio';
export type HttpServer = 'v1-http' | 'v2-http' | 'v1-sse';

/** A config entry for a server on stdio. */
export function stdioServer(name: StdioServer, ...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [fileOf(name), ...args] };
}

export type OfficialServer = 'everything' | 'filesystem' | 'memory';

export function officialServer(name: OfficialServer, ...args: string[]): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  };
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Sends SIGKILL and resolves when the process has exited. */
  kill(): Promise<void>;
}

/** Starts a server that is killed when the test ends. */
export async function startHttpServer(...args: Parameters<typeof spawnHttpServer>): Promise<RunningServer> {
  const server = await spawnHttpServer(...args);
  onTestFinished(server.kill);
  return server;
}

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts an HTTP server. `--port` reuses the port of an earlier one. */
export async function spawnHttpServer(name: HttpServer, ...args: string[]): Promise<RunningServer> {
  const child = spawn(process.execPath, [fileOf(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = async (): Promise<void> => {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  children.add(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) {
      return { url: `http://127.0.0.1:${port}/mcp`, port: Number(port), process: child, kill };
    }
  }
  throw new Error(`${name} exited before it listened`);
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}
