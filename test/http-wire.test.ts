/** The HTTP wire, byte by byte: what a client library would never send, and a network does. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NativeContext, NativeTool } from '../src/upstreams/native/upstream.ts';
import { until } from './gateway.ts';
import { type Heard, heardGateway } from './telemetry-parts.ts';

const MAX_BODY = 10_000;

interface Wire {
  readonly heard: Heard;
  /** The contexts of the calls that wait for ever. */
  readonly waiting: NativeContext[];
  /** A connection, and all that has come back on it. */
  connected(): { readonly socket: Socket; read(): string };
}

async function openWire(): Promise<Wire> {
  const waiting: NativeContext[] = [];
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } } as const;
  const native: NativeTool[] = [
    { name: 'echo', description: 'Echoes.', inputSchema, run: ({ text }) => ({ said: text }) },
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
  const heard = await heardGateway({ server: { port: 0, maxBodyBytes: MAX_BODY } }, { native });
  const { port } = new URL(heard.url);
  return {
    heard,
    waiting,
    connected() {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let came = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        came += chunk;
      });
      socket.on('error', () => {});
      return { socket, read: () => came };
    },
  };
}

const HEAD = [
  'Host: localhost',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
].join('\r\n');

function callOf(tool: string, text: string, id = 1): string {
  const params = { name: 'tool_execute', arguments: { tool_id: `/here/${tool}`, args: { text } } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

const whole = (body: string, target = '/mcp'): string =>
  `POST ${target} HTTP/1.1\r\n${HEAD}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const CHUNKED = `POST /mcp HTTP/1.1\r\n${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const LAST_CHUNK = '0\r\n\r\n';

/** Statuses in the order in which they came. */
const statusesIn = (came: string): number[] =>
  [...came.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('a request over HTTP', () => {
  it.each(['/mcp', '/mcp/gateway', '/mcp?from=here', 'http://localhost/mcp'])(
    'is served at %s',
    async (target) => {
      const { connected } = await openWire();
      const { socket, read } = connected();
      socket.write(whole(callOf('echo', 'hé'), target));
      await until('an answer', () => read().includes('hé'));
      expect(statusesIn(read())).toEqual([200]);
    },
  );

  it.each(['/mcp/', '/mcp/other', '/mcpx', '/', '*'])('is not served at %s', async (target) => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    socket.write(whole(callOf('echo', 'hi'), target));
    await until('an answer', () => statusesIn(read()).length > 0);
    expect(statusesIn(read())).toEqual([404]);
  });

  it('may come in pieces of any size', async () => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    socket.setNoDelay(true);
    for (const byte of Buffer.from(whole(callOf('echo', 'hé')))) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await until('an answer', () => read().includes('hé'));
    socket.write(CHUNKED);
    for (const letter of callOf('echo', 'höhö')) socket.write(chunk(letter));
    socket.write(LAST_CHUNK);
    await until('the second answer', () => read().includes('höhö'));
    expect(statusesIn(read())).toEqual([200, 200]);
  });

  it('is answered in its turn where several come at once', async () => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    socket.write([1, 2, 3].map((id) => whole(callOf('echo', 'x', id))).join(''));
    await until('three answers', () => statusesIn(read()).length === 3);
    expect([...read().matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3']);
  });

  it.each([
    ['says how long it is', whole(callOf('echo', 'x'.repeat(MAX_BODY)))],
    ['does not', `${CHUNKED}${chunk(callOf('echo', 'x'.repeat(MAX_BODY)))}${LAST_CHUNK}`],
  ])('that is too large and %s is refused, and the next one is served', async (_, request) => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    socket.write(request);
    await until('a refusal', () => statusesIn(read()).length > 0);
    socket.write(whole(callOf('echo', 'after it')));
    await until('an answer', () => read().includes('after it'));
    expect(statusesIn(read())).toEqual([413, 200]);
  });

  it('that is refused before it has come is not listened to for long', async () => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    let ended = false;
    socket.on('close', () => {
      ended = true;
    });
    socket.write(whole(callOf('echo', 'x'.repeat(MAX_BODY))).slice(0, 300));
    await until('a refusal', () => statusesIn(read()).length > 0);
    expect(statusesIn(read())).toEqual([413]);
    const going = setInterval(() => socket.write('x'), 100);
    onTestFinished(() => clearInterval(going));
    await until('the end of the connection', () => ended);
  });

  it('that never comes to its end does not keep the gateway from its own', async () => {
    const { heard, connected } = await openWire();
    const { socket } = connected();
    socket.write(whole(callOf('echo', 'x')).slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await heard.close();
  });

  it('for two hosts at once is refused', async () => {
    const { connected } = await openWire();
    const { socket, read } = connected();
    socket.write(whole(callOf('echo', 'x')).replace('Host: localhost', 'Host: localhost\r\nHost: localhost'));
    await until('a refusal', () => statusesIn(read()).length > 0);
    expect(statusesIn(read())[0]).toBe(403);
  });

  it('with a target that the SDK cannot read is refused, and is no failure', async () => {
    const { heard, connected } = await openWire();
    const { socket, read } = connected();
    const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    socket.write(whole(greeting, 'HTTP://localhost/mcp'));
    await until('a refusal', () => statusesIn(read()).length > 0);
    expect(statusesIn(read())).toEqual([400]);
    expect(heard.lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });

  it('that breaks off is nobody’s failure', async () => {
    const { heard, connected } = await openWire();
    const { socket } = connected();
    socket.write(whole(callOf('echo', 'x')).slice(0, -10), () => socket.resetAndDestroy());
    await until('its end', () => socket.destroyed);
    const { socket: next, read } = connected();
    next.write(whole(callOf('echo', 'next')));
    await until('an answer', () => read().includes('next'));
    expect(heard.lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });

  it('that breaks off while its call is under way ends it', async () => {
    const { connected, waiting } = await openWire();
    const { socket } = connected();
    socket.write(whole(callOf('wait', 'x')));
    await until('the call', () => waiting.length === 1);
    expect(waiting[0]!.signal.aborted).toBe(false);
    socket.destroy();
    await until('its end', () => waiting[0]!.signal.aborted);
  });
});
