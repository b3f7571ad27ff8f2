import { createServer } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERYTHING, machineWith, type Running } from '../../test/cli.ts';
import { EXIT } from './exit-codes.ts';

const CONFIG = { 'toolgate.json': { upstreams: { everything: EVERYTHING } } };
/** Reads its input and never answers, so it stays in state starting. */
const SILENT = { command: process.execPath, args: ['-e', 'process.stdin.resume()'], startTimeoutMs: 120_000 };
/** Enough for a loaded machine; a process that hangs takes minutes. */
const MAX_EXIT_MS = 20_000;

async function waitUntilListening({
  output,
  ended,
}: Running): Promise<{ url: string; upstreams: unknown[] }> {
  void ended.then((run) => {
    if (!output.stdout) throw new Error(`the process ended: ${run.stderr}`);
  });
  await expect.poll(() => output.stdout, { timeout: 45_000 }).toMatch(/^\}$/m);
  return JSON.parse(output.stdout);
}

async function exitCodeOf({ ended, child }: Running): Promise<number | null> {
  const began = Date.now();
  onTestFinished(() => void child.kill('SIGKILL'));
  const { code, signal } = await ended;
  expect(signal).toBeNull();
  expect(Date.now() - began).toBeLessThan(MAX_EXIT_MS);
  return code;
}

describe('toolgate serve', () => {
  it('serves until a signal, and then exits although a client is connected', async () => {
    const running = machineWith(CONFIG).start(['serve', '--port', '0', '--json']);
    const { url, upstreams } = await waitUntilListening(running);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(upstreams).toMatchObject([{ namespace: 'everything', state: { kind: 'ready' } }]);
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['tool_browse', 'tool_execute', 'tool_view']);
    const answer = await client.callTool({
      name: 'tool_execute',
      arguments: { tool_id: '/everything/echo', args: { message: 'hi' } },
    });
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Echo: hi' }]);
    running.child.kill('SIGTERM');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
    await expect(fetch(url)).rejects.toThrow();
    await client.close().catch(() => {});
  });

  it('keeps running after SIGHUP, and logs that it cannot reload', async () => {
    const running = machineWith({ 'toolgate.yaml': '' }).start(['serve', '--port', '0', '--json']);
    const { url } = await waitUntilListening(running);
    running.child.kill('SIGHUP');
    await expect.poll(() => running.output.stderr, { timeout: 45_000 }).toContain('SIGHUP ignored');
    expect((await fetch(url.replace('/mcp', '/healthz'))).status).toBe(200);
    running.child.kill('SIGTERM');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
  });

  it('refuses an address other than loopback, unless the config accepts callers without authentication', async () => {
    const refused = await machineWith({ 'toolgate.yaml': '' }).run([
      'serve',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
    ]);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: EXIT.usage, stdout: '' });
    expect(refused.stderr).toContain('0.0.0.0 is reachable from other machines');
    expect(refused.stderr).toContain('server.allowUnauthenticated');
    const server = { host: '0.0.0.0', allowedHosts: ['gate.example'], allowUnauthenticated: true };
    const running = machineWith({ 'toolgate.json': { server } }).start(['serve', '--port', '0', '--json']);
    await waitUntilListening(running);
    expect(running.output.stderr).toContain('callers are not authenticated');
    running.child.kill('SIGTERM');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
  });

  it('prints the endpoint without --json too', async () => {
    const running = machineWith({ 'toolgate.yaml': '' }).start(['serve', '--port', '0']);
    await expect
      .poll(() => running.output.stdout, { timeout: 45_000 })
      .toMatch(/^MCP endpoint: http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
    running.child.kill('SIGINT');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
    expect(running.output.stderr).toContain('Shutting down: waiting for calls in flight.');
  });

  it('exits on a signal while an upstream is starting', async () => {
    const running = machineWith({ 'toolgate.json': { upstreams: { silent: SILENT } } }).start([
      'serve',
      '--port',
      '0',
    ]);
    await expect.poll(() => running.output.stderr, { timeout: 45_000 }).toContain('Starting upstreams …');
    running.child.kill('SIGTERM');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
  });

  it('fails on a port in use and states the next step', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void occupant.close());
    const address = occupant.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const { code, stdout, stderr } = await machineWith({ 'toolgate.yaml': '' }).run([
      'serve',
      '--port',
      port,
    ]);
    expect({ code, stdout }).toEqual({ code: EXIT.failed, stdout: '' });
    expect(stderr).toContain(
      'EADDRINUSE: The port is in use.\nChoose another port with --port; --port 0 picks a free one.',
    );
  });
});

describe('toolgate stdio', () => {
  it('serves a client over stdio', async () => {
    const { folder, home } = machineWith(CONFIG);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [new URL('../../bin/toolgate.js', import.meta.url).pathname, 'stdio'],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: home, TOOLGATE_HOME: home },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(transport);
    const answer = await client.callTool({ name: 'tool_browse', arguments: { query: 'echo' } });
    expect(JSON.stringify(answer.content)).toContain('everything:echo#');
    await client.close();
  });

  it('exits when the client closes its end while an upstream is starting', async () => {
    const running = machineWith({ 'toolgate.json': { upstreams: { silent: SILENT } } }).start(['stdio']);
    running.child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } } })}\n`,
    );
    await expect.poll(() => running.output.stdout, { timeout: 45_000 }).toContain('"id":1');
    running.child.stdin.end();
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
    // Standard output carries protocol messages only.
    for (const line of running.output.stdout.trim().split('\n')) expect(JSON.parse(line).jsonrpc).toBe('2.0');
  });

  it('answers every message of a closed pipe before it exits', async () => {
    const running = machineWith(CONFIG).start(['stdio']);
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '0' },
    };
    const call = {
      name: 'tool_execute',
      arguments: { tool_id: '/everything/echo', args: { message: 'piped' } },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
    ];
    running.child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
    const answers = running.output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1].result.content).toEqual([{ type: 'text', text: 'Echo: piped' }]);
  });

  it.each([
    ['lets a call in flight end after a signal', ['SIGTERM'], '"id":2', EXIT.ok],
    ['ends at once at a second signal', ['SIGTERM', 'SIGINT'], '"id":1', 130],
  ] as const)('%s', async (_, signals, lastAnswer, exitCode) => {
    const running = machineWith(CONFIG).start(['stdio']);
    const clientInfo = { name: 't', version: '0' };
    const args = { duration: exitCode === EXIT.ok ? 2 : 60, steps: 1 };
    const call = {
      name: 'tool_execute',
      arguments: { tool_id: '/everything/trigger-long-running-operation', args },
      _meta: { progressToken: 'started' },
    };
    const send = (message: object): boolean => running.child.stdin.write(`${JSON.stringify(message)}\n`);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await expect.poll(() => running.output.stdout, { timeout: 45_000 }).toContain('"id":1');
    send({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { ...call, arguments: { ...call.arguments, dry_run: true } },
    });
    await expect.poll(() => running.output.stdout, { timeout: 45_000 }).toContain('"id":3');
    send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call });
    // The start of the call is not visible from outside.
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const signal of signals) {
      running.child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await exitCodeOf(running)).toBe(exitCode);
    expect(running.output.stdout).toContain(lastAnswer);
    expect(running.output.stdout).not.toContain('CANCELLED');
  });

  it('exits on a signal', async () => {
    const running = machineWith({ 'toolgate.yaml': '' }).start(['stdio']);
    running.child.stdin.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
    await expect.poll(() => running.output.stdout, { timeout: 45_000 }).toContain('"id":7');
    running.child.kill('SIGTERM');
    expect(await exitCodeOf(running)).toBe(EXIT.ok);
  });
});
