/** Errors and states of broken upstreams: reported at once, with a reason, and without an effect on other upstreams. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import { LOCAL_USER } from '../src/contract/call/principal.ts';
import { PRODUCT } from '../src/contract/product.ts';
import type { UpstreamState } from '../src/contract/upstream-state.ts';
import { eraCache } from '../src/upstreams/mcp/connection/era-cache.ts';
import { StartQueue } from '../src/upstreams/mcp/connection/start-queue.ts';
import { McpUpstream } from '../src/upstreams/mcp/upstream.ts';
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
import { LEAKED_TOKEN } from './servers/fixture-server.ts';
import { type HttpServer, officialServer, startHttpServer, stdioServer } from './servers/spawn.ts';

/** Longer than any test: a call that waits this long was not failed when its server died. */
const VERY_LONG_MS = 600_000;

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('a server that dies in the middle of a call', () => {
  it.each(['v1-stdio', 'v2-stdio'] as const)(
    '%s: fails the call at once and serves the next one',
    async (server) => {
      const log = join(temporaryFolder(), 'log');
      const { call, receipts } = await openedGateway({ shop: stdioServer(server, '--log', log) });
      const before = Number(textOf(await call('/shop/pid')));

      const broken = call('/shop/wait', { ms: VERY_LONG_MS });
      await until('the call to arrive', () => linesOf(log, 'call wait').length === 1);
      process.kill(before, 'SIGKILL');
      const outcome = await broken;
      const after = Number(textOf(await call('/shop/pid')));

      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'UPSTREAM_UNAVAILABLE', retryable: false, details: { effect: 'unknown' } },
      });
      expect(after).not.toBe(before);
      expect(linesOf(log, 'call wait')).toHaveLength(1);
      expect((await receipts()).map(({ status, errorCode }) => errorCode ?? status)).toEqual([
        'ok',
        'UPSTREAM_UNAVAILABLE',
        'ok',
      ]);
    },
  );

  const overHttp: readonly { title: string; server: HttpServer; args: readonly string[] }[] = [
    { title: 'sessions and status 404 for unknown ones', server: 'v1-http', args: [] },
    {
      title: 'sessions and status 400 for unknown ones',
      server: 'v1-http',
      args: ['--unknown-session', '400'],
    },
    { title: 'sessions and resumable streams', server: 'v1-http', args: ['--resumable'] },
    { title: 'no sessions', server: 'v2-http', args: [] },
    { title: 'the SSE transport', server: 'v1-sse', args: [] },
  ];
  it.each(overHttp)(
    'over HTTP with $title: is used again after a restart on its port',
    async ({ server, args }) => {
      const log = join(temporaryFolder(), 'log');
      const first = await startHttpServer(server, '--log', log, ...args);
      const transport = server === 'v1-sse' ? 'sse' : 'streamable';
      const { call } = await openedGateway({
        shop: { url: first.url, transport, probeIntervalMs: VERY_LONG_MS },
      });
      expect(textOf(await call('/shop/echo', { message: 'before' }))).toBe('Echo: before');

      const broken = call('/shop/wait', { ms: VERY_LONG_MS });
      await until('the call to arrive', () => linesOf(log, 'call wait').length === 1);
      await first.kill();
      const outcome = await broken;
      await startHttpServer(server, '--log', log, '--port', String(first.port), ...args);
      const next = await call('/shop/echo', { message: 'after' });

      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'UPSTREAM_UNAVAILABLE', retryable: false, details: { effect: 'unknown' } },
      });
      expect(textOf(next)).toBe('Echo: after');
      expect(linesOf(log, 'call wait')).toHaveLength(1);
      expect(linesOf(log, 'call echo')).toHaveLength(2);
    },
  );

  it.each([
    { server: 'v1-http', args: [] },
    { server: 'v1-http', args: ['--unknown-session', '400'] },
    { server: 'v2-http', args: [] },
  ] as const)('$server $args: a restart between two calls fails neither', async ({ server, args }) => {
    const log = join(temporaryFolder(), 'log');
    const first = await startHttpServer(server, '--log', log, ...args);
    const { call } = await openedGateway({ shop: { url: first.url, probeIntervalMs: VERY_LONG_MS } });
    await call('/shop/echo', { message: 'one' });
    // No list request is pending, so that only the next call finds out.
    if (server === 'v1-http') await until('the second list', () => linesOf(log, 'list').length === 2);
    await first.kill();
    await startHttpServer(server, '--port', String(first.port), ...args);
    expect(textOf(await call('/shop/echo', { message: 'two' }))).toBe('Echo: two');
  });

  it('fails one call of a shared connection without failing the others', async () => {
    const log = join(temporaryFolder(), 'log');
    let served = 0;
    const target = await startHttpServer('v2-http', '--log', log);
    // A proxy that cuts the connection of the second call.
    const url = await startServer(async (request, response) => {
      const body = await readAll(request);
      if (body.includes('"wait"') && ++served === 2) return void response.destroy();
      const headers = withoutHopByHop(request.headers as Record<string, string>);
      try {
        const answer = await fetch(target.url, { method: 'POST', headers, body });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        for await (const chunk of answer.body ?? []) response.write(chunk);
        response.end();
      } catch {
        response.destroy();
      }
    });
    const { call, state } = await openedGateway({ shop: { url } });
    const first = call('/shop/wait', { ms: 1_500 });
    await until('the first call to arrive', () => linesOf(log, 'call wait').length === 1);
    const second = await call('/shop/wait', { ms: 1_500 });
    expect(errorCodeOf(second)).toBe('UPSTREAM_UNAVAILABLE');
    expect(textOf(await first)).toBe('waited');
    expect(state('shop').kind).toBe('ready');
  });
});

/** A proxy must not forward hop-by-hop headers (RFC 9110, section 7.6.1), and fetch refuses some of them. */
function withoutHopByHop(headers: Record<string, string>): Record<string, string> {
  const hopByHop = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}

describe('deadlines', () => {
  it('end a call of an upstream that ignores them, and keep the connection open', async () => {
    const { call, receipts } = await openedGateway({ shop: stdioServer('v1-stdio') });
    const processId = textOf(await call('/shop/pid'));
    const outcome = await call('/shop/deaf', { ms: 30_000 }, { deadline: Date.now() + 300 });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'DEADLINE_EXCEEDED', retryable: false, details: { effect: 'unknown' } },
    });
    expect(textOf(await call('/shop/pid'))).toBe(processId);
    expect((await receipts()).map(({ errorCode }) => errorCode)).toEqual([null, 'DEADLINE_EXCEEDED', null]);
  });

  it('end a call of a native tool that ignores its signal', async () => {
    const stubborn = { name: 'stubborn', description: 'Never ends.', inputSchema: { type: 'object' } };
    const { call } = await openedGateway(
      {},
      { native: { own: [{ ...stubborn, run: () => new Promise(() => {}) }] } },
    );
    expect(errorCodeOf(await call('/own/stubborn', {}, { deadline: Date.now() + 100 }))).toBe(
      'DEADLINE_EXCEEDED',
    );
  });

  it('cancel the call at every kind of upstream', async () => {
    const folder = temporaryFolder();
    const logOf = (name: string): string => join(folder, name);
    const overHttp = async (name: HttpServer): Promise<object> => ({
      url: (await startHttpServer(name, '--log', logOf(name))).url,
    });
    const { call } = await openedGateway({
      'v1-stdio': stdioServer('v1-stdio', '--log', logOf('v1-stdio')),
      'v2-stdio': stdioServer('v2-stdio', '--log', logOf('v2-stdio')),
      'v1-http': await overHttp('v1-http'),
      'v2-http': await overHttp('v2-http'),
    });
    const names = ['v1-stdio', 'v2-stdio', 'v1-http', 'v2-http'];
    const deadline = Date.now() + 2_000;
    const outcomes = await Promise.all(
      names.map((name) => call(`/${name}/wait`, { ms: VERY_LONG_MS }, { deadline })),
    );
    expect(outcomes.map(errorCodeOf)).toEqual(names.map(() => 'DEADLINE_EXCEEDED'));
    for (const name of names) {
      await until(`the cancellation at ${name}`, () => linesOf(logOf(name), 'cancelled wait').length === 1);
    }
  });
});

describe('ten upstreams of which three are broken', () => {
  const NEVER_ANSWERS_MS = 5_000;

  it('start together; seven work and three are reported with their reasons', async () => {
    const config = {
      a: stdioServer('v1-stdio'),
      b: stdioServer('v1-stdio'),
      c: stdioServer('v2-stdio'),
      d: stdioServer('v2-stdio'),
      e: { url: (await startHttpServer('v1-http')).url },
      f: { url: (await startHttpServer('v2-http')).url },
      g: officialServer('memory'),
      missing: { command: 'no-such-program-anywhere' },
      silent: { ...stdioServer('broken', 'silent'), startTimeoutMs: NEVER_ANSWERS_MS },
      locked: { url: await startServer((_, response) => void response.writeHead(401).end('who are you?')) },
    };
    const reasons = {
      missing: {
        kind: 'unavailable',
        reason: 'command not found: no-such-program-anywhere; install it or correct "command"',
      },
      silent: {
        kind: 'unavailable',
        reason: 'the server did not answer in time; check that it runs, or raise startTimeoutMs',
      },
      locked: {
        kind: 'needs_credentials',
        reason: 'the server requires valid credentials; set them in its headers or env',
      },
    };

    const seen: string[] = [];
    const { gateway, call, state } = await openedGateway(config, {
      onUpstreamState: ({ state: { kind } }) => void seen.push(kind),
    });
    // They start in parallel: all had begun before the first was done.
    expect(seen.slice(0, 10)).toEqual(Array(10).fill('starting'));

    const working = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(working.map((name) => call(`/${name}/echo`, { message: name })));
    expect(answers.map(textOf)).toEqual(working.map((name) => `Echo: ${name}`));
    expect(errorCodeOf(await call('/g/read_graph'))).toBe('ok');
    for (const [name, reason] of Object.entries(reasons)) expect(state(name)).toMatchObject(reason);

    const { text, unavailable } = await gateway.api.browse(createCaller(gateway.localUser), { path: '/' });
    expect(text).toContain('Not available: missing (down), silent (down), locked (needs credentials).');
    expect(unavailable.map(({ namespace, state: shown }) => [namespace, shown])).toEqual(
      Object.entries(reasons).map(([name, reason]) => [name, expect.objectContaining(reason)]),
    );

    const report = await doctor(config);
    expect(report.exitCode).toBe(4);
    expect(report.json.healthy).toBe(false);
    for (const [name, reason] of Object.entries(reasons)) {
      expect(report.json.upstreams).toContainEqual(
        expect.objectContaining({ namespace: name, state: expect.objectContaining(reason) }),
      );
    }
    const ready = report.json.upstreams.filter((status) => status.state.kind === 'ready');
    expect(ready.map(({ namespace }) => namespace)).toEqual([...working, 'g']);
  });

  it('take as long to start as the slowest, not as long as all of them together', async () => {
    const silent = { ...stdioServer('broken', 'silent'), startTimeoutMs: NEVER_ANSWERS_MS };
    const began = Date.now();
    const { gateway } = await openedGateway({ one: silent, two: silent, three: silent, four: silent });
    expect(Date.now() - began).toBeLessThan(3 * NEVER_ANSWERS_MS);
    expect(gateway.upstreams().map(({ state }) => state.kind)).toEqual(Array(4).fill('unavailable'));
  });
});

interface DoctorReport {
  readonly healthy: boolean;
  readonly upstreams: readonly { readonly namespace: string; readonly state: { readonly kind: string } }[];
}

async function doctor(upstreams: object): Promise<{ exitCode: number; json: DoctorReport }> {
  const folder = temporaryFolder();
  const file = join(folder, 'toolgate.json');
  writeFileSync(file, JSON.stringify({ upstreams }));
  const program = fileURLToPath(new URL('../bin/toolgate.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'doctor', '--json', '--config', file], {
    env: { ...process.env, TOOLGATE_HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [output, [exitCode]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
  return { exitCode: exitCode as number, json: JSON.parse(output) as DoctorReport };
}

describe('the reported reason of a broken upstream', () => {
  it('explains the failure', async () => {
    const soon = { startTimeoutMs: 4_000 };
    const answer =
      (status: number, type: string, body: string): RequestListener =>
      (_, response) =>
        void response.writeHead(status, { 'content-type': type }).end(body);
    const { gateway } = await openedGateway({
      'no-folder': { ...stdioServer('v1-stdio'), cwd: '/no/such/folder' },
      exits: stdioServer('broken', 'exits-at-once'),
      garbage: { ...stdioServer('broken', 'garbage'), ...soon },
      circle: stdioServer('v1-stdio', '--circle'),
      secret: {
        ...stdioServer('broken', 'prints-secret'),
        env: { SECRET_TOKEN: LEAKED_TOKEN },
      },
      page: { url: await startServer(answer(200, 'text/html', '<html>hello</html>')) },
      json: { url: await startServer(answer(200, 'application/json', '{"hello":"world"}')) },
      failing: { url: await startServer(answer(500, 'text/plain', LEAKED_TOKEN)) },
      overloaded: { url: await startServer(answer(503, 'text/plain', LEAKED_TOKEN)) },
      closed: { url: 'http://127.0.0.1:9/mcp' },
      'sse-closed': { url: 'http://127.0.0.1:9/sse', transport: 'sse' },
      'sse-locked': { url: await startServer(answer(401, 'text/plain', LEAKED_TOKEN)), transport: 'sse' },
      hung: { url: await startServer(() => {}), ...soon },
    });
    const reasons = Object.fromEntries(
      gateway
        .upstreams()
        .map(({ namespace, state }) => [
          namespace,
          `${state.kind}: ${'reason' in state ? state.reason : ''}`,
        ]),
    );
    expect(reasons).toEqual({
      'no-folder': expect.stringMatching(
        /^unavailable: command or folder not found: .* in \/no\/such\/folder; correct "command" or "cwd"$/,
      ),
      exits: 'unavailable: the process exited before it answered (it printed: the licence has expired)',
      garbage: 'unavailable: the server did not answer in time; check that it runs, or raise startTimeoutMs',
      circle: 'invalid: The upstream repeated a page cursor in its tool list. Correct its pagination.',
      secret: 'unavailable: the process exited before it answered (it printed: cannot log in with (hidden))',
      page: 'invalid: Upstream page sent a response that is not MCP. Check that its address or command is an MCP server.',
      json: 'invalid: Upstream json sent a response that is not MCP. Check that its address or command is an MCP server.',
      failing: 'invalid: Upstream failing answered with HTTP status 500. See the log of that server.',
      overloaded: 'unavailable: the server is unreachable; check its url and that it runs',
      closed: 'unavailable: the server is unreachable; check its url and that it runs',
      'sse-closed': 'unavailable: the server is unreachable; check its url and that it runs',
      'sse-locked':
        'needs_credentials: the server requires valid credentials; set them in its headers or env',
      hung: 'unavailable: the server did not answer in time; check that it runs, or raise startTimeoutMs',
    });
  });

  it('never contains the text of an upstream error', async () => {
    const { call } = await openedGateway({ v1: stdioServer('v1-stdio'), v2: stdioServer('v2-stdio') });
    for (const name of ['v1', 'v2']) {
      const outcome = await call(`/${name}/leak`);
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'UPSTREAM_FAILURE', retryable: false },
      });
      expect(outcome).toHaveProperty(
        'error.message',
        `Upstream ${name} rejected the request (JSON-RPC error -32000). Its message is in the gateway's debug log.`,
      );
      expect(JSON.stringify(outcome)).not.toContain(LEAKED_TOKEN);
    }
  });
});

describe('a failure that only a person can correct', () => {
  it('is not tried again for every call, where credentials are wrong', async () => {
    let requests = 0;
    const url = await startServer((_, response) => {
      requests++;
      response.writeHead(401).end();
    });
    const upstream = new McpUpstream({
      namespace: 'locked',
      target: { kind: 'http', url, headers: {}, transport: 'streamable' },
      eras: eraCache(),
      era: 'auto',
      starts: new StartQueue(),
      maxAnswerBytes: 1_000_000,
      startTimeoutMs: undefined,
      probeIntervalMs: VERY_LONG_MS,
    });
    onTestFinished(() => upstream.stop());
    await upstream.start({ toolsListed: () => {}, stateChanged: () => {}, warned: () => {} });
    const before = requests;
    for (let i = 0; i < 3; i++) {
      const asked = upstream.session(createCaller(LOCAL_USER), AbortSignal.timeout(VERY_LONG_MS));
      await expect(asked).rejects.toMatchObject({ code: 'UPSTREAM_AUTH_FAILED', effect: 'none' });
    }
    expect(requests).toBe(before);
  });

  it('is tried again after a minute, where the command does not exist', async () => {
    const { state } = await openedGateway({ missing: { command: 'no-such-program-anywhere' } });
    const { retryAt, since } = state('missing') as Extract<UpstreamState, { kind: 'unavailable' }>;
    expect(Date.parse(retryAt!) - Date.parse(since)).toBeGreaterThan(50_000);
  });
});

describe('closing the gateway', () => {
  it('ends the session of an HTTP server and names Toolgate as the user agent', async () => {
    const log = join(temporaryFolder(), 'log');
    const { url } = await startHttpServer('v1-http', '--log', log);
    const own = await openTestGateway({ shop: { url } });
    await own.close();
    expect(linesOf(log, 'http DELETE')).toEqual([`http DELETE toolgate/${PRODUCT.version}`]);
    const named = await openTestGateway({ shop: { url, headers: { 'User-Agent': 'bot/7' } } });
    await named.close();
    expect(linesOf(log, 'http POST')).toContain(`http POST toolgate/${PRODUCT.version}`);
    expect(linesOf(log, 'http POST').at(-1)).toBe('http POST bot/7');
  });

  it('aborts a start in progress and ends its processes', async () => {
    const log = join(temporaryFolder(), 'log');
    const silent = { ...stdioServer('broken', 'silent', log), startTimeoutMs: VERY_LONG_MS };
    const opening = openTestGateway({ silent }, { start: false });
    const { gateway, close } = await opening;
    const starting = gateway.start();
    await until('a process', () => processesIn(log).length > 0);
    await close();
    await starting;
    expect(gateway.upstreams().map(({ state }) => state.kind)).toEqual(['stopped']);
    await until('the processes to end', () => !processesIn(log).some(isRunning));
  });

  it('leaves no process behind', async () => {
    const log = join(temporaryFolder(), 'log');
    const { close } = await openTestGateway({
      v1: stdioServer('v1-stdio', '--log', log),
      v2: stdioServer('v2-stdio', '--log', log),
    });
    await close();
    await until('the processes to end', () => !processesIn(log).some(isRunning));
  });
});
