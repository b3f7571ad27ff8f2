/** Raw HTTP requests that a client library would not send, but a network can deliver. */
import { connect as connectTo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NativeContext, NativeTool } from '../src/upstreams/native/upstream.ts';
import { until } from './gateway.ts';
import { type ObservedGateway, openObservedGateway } from './telemetry-fixtures.ts';

const MAX_BODY = 10_000;

interface Wire {
  readonly gateway: ObservedGateway;
  /** The contexts of calls that never finish by themselves. */
  readonly waiting: NativeContext[];
  /** Opens a connection. `read` returns everything received so far. */
  connect(): { readonly socket: Socket; read(): string };
}

async function openWire(server: object = {}): Promise<Wire> {
  const waiting: NativeContext[] = [];
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } } as const;
  const native: NativeTool[] = [
    { name: 'echo', description: 'Echoes.', inputSchema, run: ({ text }) => ({ echoed: text }) },
    {
      name: 'slow',
      description: 'Answers after the first probes of a half-closed connection.',
      inputSchema,
      run: ({ text }) => new Promise((resolve) => setTimeout(resolve, 400, { echoed: text })),
    },
    {
      name: 'wait',
      description: 'Waits.',
      inputSchema,
      run: (_, context) => {
        waiting.push(context);
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason));
        });
      },
    },
  ];
  const gateway = await openObservedGateway(
    { server: { port: 0, maxBodyBytes: MAX_BODY, ...server } },
    { native },
  );
  const { port } = new URL(gateway.url);
  return {
    gateway,
    waiting,
    connect() {
      const socket = connectTo(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      socket.on('error', () => {});
      return { socket, read: () => received };
    },
  };
}

const HEAD = [
  'Host: localhost',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
].join('\r\n');

function toolCall(tool: string, text: string, id = 1): string {
  const params = { name: 'tool_execute', arguments: { tool_id: `/here/${tool}`, args: { text } } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

const post = (body: string, target = '/mcp'): string =>
  `POST ${target} HTTP/1.1\r\n${HEAD}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const CHUNKED = `POST /mcp HTTP/1.1\r\n${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const LAST_CHUNK = '0\r\n\r\n';

/** Status codes, in order. */
const parseStatuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('an HTTP request', () => {
  it.each(['/mcp', '/mcp/gateway', '/mcp?from=here', 'http://localhost/mcp'])(
    'is served at %s',
    async (target) => {
      const { connect } = await openWire();
      const { socket, read } = connect();
      socket.write(post(toolCall('echo', 'hé'), target));
      await until('an answer', () => read().includes('hé'));
      expect(parseStatuses(read())).toEqual([200]);
    },
  );

  it.each(['/mcp/', '/mcp/other', '/mcpx', '/', '*'])('is not served at %s', async (target) => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    socket.write(post(toolCall('echo', 'hi'), target));
    await until('an answer', () => parseStatuses(read()).length > 0);
    expect(parseStatuses(read())).toEqual([404]);
  });

  it('is served when it arrives in pieces of any size', async () => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    socket.setNoDelay(true);
    for (const byte of Buffer.from(post(toolCall('echo', 'hé')))) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await until('an answer', () => read().includes('hé'));
    socket.write(CHUNKED);
    for (const letter of toolCall('echo', 'höhö')) socket.write(chunk(letter));
    socket.write(LAST_CHUNK);
    await until('the second answer', () => read().includes('höhö'));
    expect(parseStatuses(read())).toEqual([200, 200]);
  });

  it('is answered in order when several arrive together', async () => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    socket.write([1, 2, 3].map((id) => post(toolCall('echo', 'x', id))).join(''));
    await until('three answers', () => parseStatuses(read()).length === 3);
    expect([...read().matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3']);
  });

  it.each([
    ['with a Content-Length', post(toolCall('echo', 'x'.repeat(MAX_BODY)))],
    ['with chunked encoding', `${CHUNKED}${chunk(toolCall('echo', 'x'.repeat(MAX_BODY)))}${LAST_CHUNK}`],
  ])('that is too large is refused, and the next one is served: %s', async (_, request) => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    socket.write(request);
    await until('a refusal', () => parseStatuses(read()).length > 0);
    socket.write(post(toolCall('echo', 'the next one')));
    await until('an answer', () => read().includes('the next one'));
    expect(parseStatuses(read())).toEqual([413, 200]);
  });

  it('that is refused before its end has its connection closed', async () => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    let ended = false;
    socket.on('close', () => {
      ended = true;
    });
    socket.write(post(toolCall('echo', 'x'.repeat(MAX_BODY))).slice(0, 300));
    await until('a refusal', () => parseStatuses(read()).length > 0);
    expect(parseStatuses(read())).toEqual([413]);
    const writing = setInterval(() => socket.write('x'), 100);
    onTestFinished(() => clearInterval(writing));
    await until('the end of the connection', () => ended);
  });

  it('that never ends does not prevent the gateway from closing', async () => {
    const { gateway, connect } = await openWire();
    const { socket } = connect();
    socket.write(post(toolCall('echo', 'x')).slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await gateway.close();
  });

  it('of a client that closes its sending side is answered', async () => {
    const { connect } = await openWire();
    for (const tool of ['echo', 'slow']) {
      const { socket, read } = connect();
      socket.end(post(toolCall(tool, 'half-closed')));
      await until('an answer', () => read().includes('half-closed'));
      expect(parseStatuses(read()).at(-1)).toBe(200);
      await until('the end of the connection', () => socket.destroyed);
    }
  });

  it.each(['http://evil.example/mcp', 'http://localhost.evil.example/mcp', 'http://evil.example:80/healthz'])(
    'to the foreign target %s is refused, whatever its Host header',
    async (target) => {
      const { connect } = await openWire();
      const { socket, read } = connect();
      socket.write(post(toolCall('echo', 'x'), target));
      await until('a refusal', () => parseStatuses(read()).length > 0);
      expect(parseStatuses(read())).toEqual([403]);
    },
  );

  it.each([
    ['Content-Encoding: gzip', 415],
    ['Content-Encoding: identity', 200],
    ['Content-Type: application/json; charset=utf-16', 415],
    ['Content-Type: application/json; charset="UTF-8"', 200],
    ['Content-Type: application/json; profile=x', 200],
  ])('with %s gets status %i', async (line, status) => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    const request = post(toolCall('echo', 'x'));
    socket.write(
      line.startsWith('Content-Type')
        ? request.replace('Content-Type: application/json', line)
        : request.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`),
    );
    await until('an answer', () => parseStatuses(read()).length > 0);
    expect(parseStatuses(read())).toEqual([status]);
  });

  it('whose body is not complete does not keep others out', async () => {
    const { gateway, connect } = await openWire({ maxInFlight: 2 });
    const unfinished = Array.from({ length: 200 }, () => {
      const { socket } = connect();
      return new Promise((resolve) => socket.write(post(toolCall('echo', 'x')).slice(0, -5), resolve));
    });
    await Promise.all(unfinished);
    const { socket, read } = connect();
    socket.write(post(toolCall('echo', 'complete')));
    await until('an answer', () => read().includes('complete'));
    expect(parseStatuses(read())).toEqual([200]);
    await gateway.close();
  });

  it('with two Host headers is refused', async () => {
    const { connect } = await openWire();
    const { socket, read } = connect();
    socket.write(
      post(toolCall('echo', 'x')).replace('Host: localhost', 'Host: localhost\r\nHost: localhost'),
    );
    await until('a refusal', () => parseStatuses(read()).length > 0);
    expect(parseStatuses(read())[0]).toBe(403);
  });

  it('with a target that the SDK cannot parse is refused and not logged as a failure', async () => {
    const { gateway, connect } = await openWire();
    const { socket, read } = connect();
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    socket.write(post(ping, 'HTTP://localhost/mcp'));
    await until('a refusal', () => parseStatuses(read()).length > 0);
    expect(parseStatuses(read())).toEqual([400]);
    expect(gateway.lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });

  it('whose connection breaks is not logged as a failure', async () => {
    const { gateway, connect } = await openWire();
    const { socket } = connect();
    socket.write(post(toolCall('echo', 'x')).slice(0, -10), () => socket.resetAndDestroy());
    await until('its end', () => socket.destroyed);
    const { socket: next, read } = connect();
    next.write(post(toolCall('echo', 'next')));
    await until('an answer', () => read().includes('next'));
    expect(gateway.lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });

  it('whose connection breaks aborts its call in flight', async () => {
    const { connect, waiting } = await openWire();
    const { socket } = connect();
    socket.write(post(toolCall('wait', 'x')));
    await until('the call', () => waiting.length === 1);
    expect(waiting[0]!.signal.aborted).toBe(false);
    socket.destroy();
    await until('its end', () => waiting[0]!.signal.aborted);
  });
});

describe('a call of the 2026 era', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  async function post({ gateway }: Wire, params: object, nameHeader: string): Promise<unknown> {
    const response = await fetch(new URL('/mcp', gateway.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': nameHeader,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...params, _meta } }),
    });
    const text = await response.text();
    const changing = /[\da-f-]{16,}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=_ms":)[\d.]+/g;
    return JSON.parse(text.replace(changing, '0'));
  }

  it.each([
    ['a result', { name: 'tool_execute', arguments: { tool_id: '/here/echo', args: { text: 'hi' } } }],
    ['an error', { name: 'tool_execute', arguments: { tool_id: '/here/missing' } }],
    ['a list', { name: 'tool_browse', arguments: { path: '/here' } }],
  ])('is answered on the fast path as the SDK answers it: %s', async (_, params) => {
    const wire = await openWire();
    // The fast path leaves an encoded header to the SDK.
    const encoded = `=?base64?${Buffer.from(params.name).toString('base64')}?=`;
    const [plain, bySdk] = [await post(wire, params, params.name), await post(wire, params, encoded)];
    expect(plain).toEqual(bySdk);
    expect(plain).toMatchObject({ id: 7, result: { resultType: 'complete', content: [{ type: 'text' }] } });
  });
});
