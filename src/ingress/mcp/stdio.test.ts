import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call/call-request.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { DEFAULT_MESSAGE_LIMITS } from './parse-message.ts';
import { type StdioServing, serveOnStdio } from './stdio.ts';

const CALL = { name: 'tool_execute', arguments: { tool_id: 'a:b' } };

interface Pipe {
  readonly answers: readonly unknown[];
  readonly requests: readonly CallRequest[];
  readonly stdin: PassThrough;
  send(message: unknown): void;
  /** Resolves with the next message on standard output. */
  next(): Promise<unknown>;
  initialize(protocolVersion: string): Promise<void>;
}

function openPipe(invoke: GatewayApi['invoke'], drainTimeoutMs = 10_000): Pipe & StdioServing {
  const requests: CallRequest[] = [];
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const answers: unknown[] = [];
  let read = 0;
  const serving = serveOnStdio({
    api: {
      invoke: (request, handles) => {
        requests.push(request);
        return invoke(request, handles);
      },
    } as GatewayApi,
    principal: LOCAL_USER,
    stdin,
    stdout,
    limits: DEFAULT_MESSAGE_LIMITS,
    alwaysStructured: false,
    drainTimeoutMs,
    onError: () => {},
  });
  stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) answers.push(JSON.parse(line));
    stdout.emit('answer');
  });
  const send = (message: unknown): void => void stdin.write(`${JSON.stringify(message)}\n`);
  const next = async (): Promise<unknown> => {
    while (answers.length <= read) await once(stdout, 'answer');
    return answers[read++];
  };
  const initialize = async (protocolVersion: string): Promise<void> => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await next();
  };
  return { ...serving, answers, requests, stdin, send, next, initialize };
}

const call = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: CALL });
const refuse: GatewayApi['invoke'] = async () => {
  throw new Fault('TOOL_NOT_FOUND', 'No such tool.');
};
/** Ends with the reason of its signal, and never by itself. */
const hang: GatewayApi['invoke'] = (_, handles) =>
  new Promise((_resolve, reject) => {
    const { signal } = handles!;
    if (signal!.aborted) reject(signal!.reason);
    signal!.addEventListener('abort', () => reject(signal!.reason));
  });

it('starts a new trace for every call of a connection that sends none', async () => {
  const { requests, stdin, send, initialize, ended, close } = openPipe(refuse);
  await initialize('2025-11-25');
  for (const id of [1, 2]) send(call(id));
  stdin.end();
  await ended;
  await close();
  const traces = requests.map(({ caller }) => caller.trace.traceId);
  expect(traces).toHaveLength(2);
  expect(new Set(traces).size).toBe(2);
});

describe('a batch on stdio', () => {
  it('is answered with one batch under 2025-03-26', async () => {
    const { send, next, initialize } = openPipe(refuse);
    await initialize('2025-03-26');
    send([call(1), { jsonrpc: '2.0', method: 'notifications/progress', params: {} }, call('two')]);
    const batch = (await next()) as { id: unknown }[];
    expect(batch.map(({ id }) => id).sort()).toEqual([1, 'two']);
    send(call(3));
    expect(await next()).toMatchObject({ id: 3, result: { isError: true } });
  });

  it('does not wait for a call that its client cancelled', async () => {
    const { send, next, initialize, requests } = openPipe(({ ...request }, handles) =>
      requests.length === 1 ? hang(request, handles) : refuse(request, handles),
    );
    await initialize('2025-03-26');
    send([call(1), call(2)]);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    expect(await next()).toMatchObject([{ id: 2 }]);
  });

  it.each(['2025-06-18', '2025-11-25'])('is refused under %s', async (version) => {
    const { send, next, initialize, requests } = openPipe(refuse);
    await initialize(version);
    send([call(1)]);
    expect(await next()).toMatchObject({ id: null, error: { code: -32_600 } });
    expect(requests).toEqual([]);
  });
});

it.each([
  ['an empty batch', []],
  ['an id that is null', call(null)],
  ['an object that is no message', {}],
])('answers %s as an invalid request', async (_, message) => {
  const { send, next, initialize } = openPipe(refuse);
  await initialize('2025-03-26');
  send(message);
  expect(await next()).toMatchObject({ id: null, error: { code: -32_600 } });
});

it('does not answer a call that its client cancelled', async () => {
  const { send, next, initialize } = openPipe(hang);
  await initialize('2025-06-18');
  send(call(1));
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
  send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(await next()).toMatchObject({ id: 2 });
});

describe('close', () => {
  it('lets a call in flight end, and refuses a new one', async () => {
    const answer = Promise.withResolvers<never>();
    const { send, next, initialize, requests, close } = openPipe((request, handles) =>
      requests.length === 1 ? answer.promise : hang(request, handles),
    );
    await initialize('2025-06-18');
    send(call(1));
    send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await next();
    const closed = close();
    send(call(3));
    expect(JSON.stringify(await next())).toMatch(/The gateway stopped before the call ended.*"id":3/);
    answer.reject(new Fault('UPSTREAM_FAILURE', 'the own end of the call'));
    expect(JSON.stringify(await next())).toContain('the own end of the call');
    await closed;
  });

  it('stops a call that is left after the drain timeout, and answers that it was the gateway', async () => {
    const { send, next, initialize, close } = openPipe(hang, 50);
    await initialize('2025-06-18');
    send(call(1));
    send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await next();
    const closed = close();
    expect(JSON.stringify(await next())).toContain('The gateway stopped before the call ended.');
    await closed;
  });

  it('is what the end of the input does, after the drain timeout', async () => {
    const { send, next, initialize, stdin, ended } = openPipe(hang, 50);
    await initialize('2025-06-18');
    send(call(1));
    stdin.end();
    expect(JSON.stringify(await next())).toContain('The gateway stopped before the call ended.');
    await ended;
  });
});
