/** Child processes of upstreams: what they may write, how they are ended, and what they inherit. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  errorCodeOf,
  isRunning,
  linesOf,
  openedGateway,
  openTestGateway,
  processesIn,
  temporaryFolder,
  textOf,
  until,
} from './gateway.ts';
import { stdioServer } from './servers/spawn.ts';

/** A server behind a shell that also starts a process which holds the pipes of the server. */
function wrapped(log: string, script: string): { command: string; args: string[] } {
  const { command, args } = stdioServer('v1-stdio', '--log', log);
  const server = [command, ...args].map((part) => `'${part}'`).join(' ');
  return { command: 'sh', args: ['-c', script.replace('SERVER', server).replaceAll('LOG', log)] };
}

const HOLDS_PIPES = `sleep 300 & echo "start $!" >> LOG; exec SERVER`;
const IGNORES_SIGNALS = `sh -c 'trap "" TERM HUP; echo "start $$" >> LOG; sleep 300; true' & SERVER; true`;

describe('a process that a server has started', () => {
  it.each([
    { title: 'holds the pipes of the server', script: HOLDS_PIPES, maxMs: 4_000 },
    { title: 'ignores SIGTERM', script: IGNORES_SIGNALS, maxMs: 15_000 },
  ])('and that $title is ended with it', async ({ script, maxMs }) => {
    const log = join(temporaryFolder(), 'log');
    const { call, close } = await openTestGateway({ shop: wrapped(log, script) });
    expect(textOf(await call('/shop/echo', { message: 'hello' }))).toBe('Echo: hello');
    const began = Date.now();
    await close();
    expect(Date.now() - began).toBeLessThan(maxMs);
    expect(processesIn(log)).toHaveLength(2);
    await until('the processes to end', () => !processesIn(log).some(isRunning));
  });

  it('does not hold a command, which leaves nothing behind', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const began = Date.now();
    const upstreams = { shop: wrapped(log, HOLDS_PIPES) };
    const args = ['call', '/shop/echo', '{"message":"hello"}'];
    expect(await runCommand({ folder, upstreams, args })).toEqual({ output: 'Echo: hello\n', exitCode: 0 });
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(processesIn(log)).toHaveLength(2);
    expect(processesIn(log).filter(isRunning)).toEqual([]);
  });

  it('ends when the gateway dies by Ctrl-C', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const deaf = { command: 'sh', args: ['-c', `echo "start $$" >> ${log}; sleep 300; true`] };
    const child = startCommand({ folder, upstreams: { deaf }, args: ['browse', '/'] });
    await until('a process', () => processesIn(log).length === 1);
    child.kill('SIGINT');
    await once(child, 'exit');
    await until('the process to end', () => !processesIn(log).some(isRunning));
  });

  it('gets the end of its input when the gateway dies by SIGKILL', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const upstreams = { shop: stdioServer('v1-stdio', '--log', log) };
    const child = startCommand({ folder, upstreams, args: ['call', '/shop/deaf', '{"ms":300000}'] });
    await until('the call to arrive', () => linesOf(log, 'call deaf').length === 1);
    child.kill('SIGKILL');
    await until('the process to end', () => !processesIn(log).some(isRunning));
  });
});

describe('an answer larger than maxAnswerBytes', () => {
  it.each(['first', 'last', 'hidden'])('with its id %s fails its call alone', async (place) => {
    const log = join(temporaryFolder(), 'log');
    const raw = { ...stdioServer('raw-stdio', '2025', '--log', log), maxAnswerBytes: 1_000_000 };
    const { call, state } = await openedGateway({ shop: raw });
    const large = call('/shop/large', { bytes: 5_000_000, id: place });
    const neighbours = Promise.all([1, 2, 3].map((n) => call('/shop/echo', { message: n })));
    expect(await large).toMatchObject({
      status: 'failed',
      error: {
        code: 'UPSTREAM_FAILURE',
        retryable: false,
        message:
          'The answer of the upstream is larger than its maxAnswerBytes (1000000). Ask for less, or raise the limit.',
      },
    });
    expect((await neighbours).map(textOf)).toEqual(['Echo: 1', 'Echo: 2', 'Echo: 3']);
    expect(errorCodeOf(await call('/shop/large', { bytes: 900_000, id: 'first' }))).toBe('ok');
    expect(state('shop').kind).toBe('ready');
    expect(processesIn(log)).toHaveLength(1);
  });
});

describe('output that nobody waits for', () => {
  it.each([
    { title: 'text that is not MCP', line: 'x' },
    { title: 'notifications', line: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' },
  ])('leaves the time of the gateway to others: $title', async ({ line }) => {
    const { call } = await openedGateway({ noisy: stdioServer('raw-stdio', '2025') });
    const began = { at: Date.now(), cpu: process.cpuUsage() };
    expect(errorCodeOf(await call('/noisy/flood', { line, ms: 1_000 }))).toBe('ok');
    const { user, system } = process.cpuUsage(began.cpu);
    // A reader without a limit takes all of a core.
    expect((user + system) / 1_000 / (Date.now() - began.at)).toBeLessThan(0.5);
  });
});

it('a request of a server that the gateway cannot answer is refused at once in both eras', async () => {
  const { call } = await openedGateway({
    old: stdioServer('raw-stdio', '2025'),
    new: stdioServer('raw-stdio', '2026'),
  });
  const ask = async (namespace: string, method: string): Promise<string> =>
    textOf(await call(`/${namespace}/ask`, { method }));
  for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list']) {
    expect(await ask('old', method)).toBe('Method not found');
    expect(await ask('new', method)).toBe(`The gateway cannot answer ${method}`);
  }
  for (const namespace of ['old', 'new']) expect(await ask(namespace, 'ping')).toBe('answered');
});

it('a child process inherits proxies and certificates, and a package runner its registries too', async () => {
  vi.stubEnv('SSL_CERT_FILE', '/etc/ssl/ca.pem');
  vi.stubEnv('https_proxy', 'http://proxy.example:8080');
  vi.stubEnv('npm_config_registry', 'https://registry.example');
  vi.stubEnv('SOME_TOKEN', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = temporaryFolder();
  const { command, args } = stdioServer('v1-stdio');
  const script = `#!/bin/sh\nenv > "$0.env"\nexec '${command}' "$@"\n`;
  for (const name of ['npx', 'server']) writeFileSync(join(folder, name), script, { mode: 0o755 });
  const { gateway } = await openedGateway({
    runner: { command: join(folder, 'npx'), args },
    server: { command: join(folder, 'server'), args },
  });
  expect(gateway.upstreams().map(({ state }) => state.kind)).toEqual(['ready', 'ready']);
  const environment = (name: string): string[] =>
    readFileSync(join(folder, `${name}.env`), 'utf8')
      .split('\n')
      .filter((line) => /^(SSL_CERT_FILE|https_proxy|npm_config_registry|SOME_TOKEN)=/.test(line))
      .sort();
  const inherited = ['SSL_CERT_FILE=/etc/ssl/ca.pem', 'https_proxy=http://proxy.example:8080'];
  expect(environment('server')).toEqual(inherited);
  expect(environment('npx')).toEqual([...inherited, 'npm_config_registry=https://registry.example']);
});

interface CommandOptions {
  readonly folder: string;
  readonly upstreams: object;
  readonly args: readonly string[];
}

function startCommand({
  folder,
  upstreams,
  args,
}: CommandOptions): ChildProcessByStdio<null, Readable, null> {
  const file = join(folder, 'toolgate.json');
  writeFileSync(file, JSON.stringify({ upstreams }));
  const program = fileURLToPath(new URL('../bin/toolgate.js', import.meta.url));
  return spawn(process.execPath, [program, ...args, '--config', file], {
    env: { ...process.env, TOOLGATE_HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function runCommand(options: CommandOptions): Promise<{ output: string; exitCode: number }> {
  const child = startCommand(options);
  const [output, [exitCode]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
  return { output, exitCode: exitCode as number };
}
