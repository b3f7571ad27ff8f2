/** The real gateway in its own process, with a monitor of its event loop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const WATCH = new URL('stall-watch.ts', import.meta.url).href;
const COMMAND = fileURLToPath(new URL('../../bin/toolgate.js', import.meta.url));

/** The response to one message: its JSON, and over HTTP the status. */
export interface Reply {
  readonly status: number | undefined;
  readonly message: Record<string, unknown>;
}

export interface Wire {
  readonly name: 'http' | 'stdio';
  /** Sends raw bytes and returns the response. */
  send(bytes: string | Uint8Array): Promise<Reply>;
  isAlive(): boolean;
  /** The longest stall of the event loop since the last request, in milliseconds. */
  stall(): Promise<number>;
  close(): Promise<void>;
}

export async function openHttpWire(config: string, home: string): Promise<Wire> {
  const child = start(['serve', '--config', config, '--port', '0'], home);
  const [url] = /http:\S+/.exec(await firstLine(child))!;
  return {
    name: 'http',
    ...monitor(child),
    async send(bytes) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: bytes,
      });
      return { status: response.status, message: parseMessage(await response.text()) };
    },
  };
}

export async function openStdioWire(config: string, home: string): Promise<Wire> {
  const child = start(['stdio', '--config', config], home);
  const waiting: ((message: Record<string, unknown>) => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    if ('id' in message) waiting.shift()?.(message);
  });
  const send = (bytes: string | Uint8Array): Promise<Reply> =>
    new Promise((resolve) => {
      waiting.push((message) => resolve({ status: undefined, message }));
      child.stdin!.write(bytes);
      child.stdin!.write('\n');
    });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  await send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  child.stdin!.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { name: 'stdio', ...monitor(child), send };
}

function start(args: readonly string[], home: string): ChildProcess {
  return spawn(process.execPath, ['--import', WATCH, COMMAND, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, TOOLGATE_HOME: home },
  });
}

function monitor(child: ChildProcess): Pick<Wire, 'isAlive' | 'stall' | 'close'> {
  const answers: ((milliseconds: number) => void)[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const [, milliseconds] = /^stall ([\d.]+)$/.exec(line) ?? [];
    if (milliseconds !== undefined) answers.shift()?.(Number(milliseconds));
  });
  return {
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stall: () =>
      new Promise((resolve) => {
        answers.push(resolve);
        child.kill('SIGUSR2');
      }),
    close: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.stdin!.end();
        child.kill('SIGTERM');
      }),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! });
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the gateway exited with ${code}`)));
  });
}

/** A body is one message, or an event stream whose last event is the message. */
function parseMessage(body: string): Record<string, unknown> {
  const events = [...body.matchAll(/^data: (.+)$/gm)];
  return JSON.parse(events.at(-1)?.[1] ?? body) as Record<string, unknown>;
}
