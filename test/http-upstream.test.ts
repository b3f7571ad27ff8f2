/** Calls to upstreams over Streamable HTTP, in both protocol eras: what is sent, and how every form of answer is read. */
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { errorCodeOf, openedGateway, textOf, until } from './gateway.ts';
import {
  ERAS,
  openEvents,
  type ReceivedCall,
  responseTo,
  SESSION,
  sendJson,
  startScripted,
  textResult,
} from './servers/scripted-http.ts';
import { startHttpServer, stdioServer } from './servers/spawn.ts';

const RUN = '/shop/run';
const event = (data: string, end = '\n'): string => `event: message${end}data: ${data}${end}${end}`;

/** Every form in which a server may send the same response. */
const FORMS: readonly (readonly [form: string, answer: (call: ReceivedCall, body: string) => void])[] = [
  ['JSON', (call, body) => sendJson(call, body)],
  ['JSON in a batch', (call, body) => sendJson(call, `[${body}]`)],
  ['compressed JSON', (call, body) => sendJson(call, gzipSync(body), { 'content-encoding': 'gzip' })],
  [
    'one event',
    (call, body) => {
      openEvents(call);
      call.response.end(event(body));
    },
  ],
  [
    'one event on a stream that stays open',
    (call, body) => {
      openEvents(call);
      call.response.write(event(body));
    },
  ],
  [
    'an event in pieces, after a comment',
    (call, body) => {
      openEvents(call);
      const bytes = Buffer.from(`: hello\r\n\r\n${event(body, '\r\n')}`);
      for (let i = 0; i < bytes.length; i += 7) call.response.write(bytes.subarray(i, i + 7));
      call.response.end();
    },
  ],
];

describe.each(ERAS)('an upstream of the era %s', (era) => {
  it.each(FORMS)('is understood when it answers with %s', async (_, answer) => {
    const { url } = await startScripted({
      era,
      onCall: (call) => answer(call, responseTo(call, textResult('zwölf'))),
    });
    const { call } = await openedGateway({ shop: { url } });
    expect(textOf(await call(RUN))).toBe('zwölf');
    expect(textOf(await call(RUN))).toBe('zwölf');
  });

  it('gets the headers of its era, of the config and of the trace', async () => {
    let headers: IncomingHttpHeaders = {};
    const { url } = await startScripted({
      era,
      onCall: (call) => {
        headers = call.request.headers;
        sendJson(call, responseTo(call, textResult('ok')));
      },
    });
    const { call } = await openedGateway({
      shop: { url, headers: { Authorization: 'Bearer t', ACCEPT: 'x/y' } },
    });
    await call(RUN);
    expect(headers).toMatchObject({
      authorization: 'Bearer t',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': era,
      traceparent: expect.stringMatching(/^00-/),
      'user-agent': expect.stringMatching(/^toolgate\//),
    });
    const own =
      era === '2026-07-28'
        ? { 'mcp-method': 'tools/call', 'mcp-name': 'run' }
        : { 'mcp-session-id': SESSION };
    expect(headers).toMatchObject(own);
    expect(Object.keys(headers)).not.toContain(era === '2026-07-28' ? 'mcp-session-id' : 'mcp-method');
  });

  it.each([
    ['structured content without content', { structuredContent: { a: 1 }, resultType: 'complete' }],
    ['no result type', { content: [{ type: 'text', text: 'ok' }] }],
  ])('may answer with %s', async (_, result) => {
    const { url } = await startScripted({ era, onCall: (call) => sendJson(call, responseTo(call, result)) });
    const { call } = await openedGateway({ shop: { url } });
    expect(errorCodeOf(await call(RUN))).toBe('ok');
  });

  it.each([
    [
      'that user input is required',
      { resultType: 'input_required', requestState: 's' },
      'requested user input',
    ],
    ['an unknown result type', { resultType: 'poem', content: [] }, 'is not MCP'],
    ['a text in place of a result', 'done', 'is not MCP'],
  ])('fails a call that it answers with %s', async (_, result, reason) => {
    const { url } = await startScripted({ era, onCall: (call) => sendJson(call, responseTo(call, result)) });
    const { call } = await openedGateway({ shop: { url } });
    expect(await call(RUN)).toMatchObject({
      status: 'failed',
      error: { code: 'UPSTREAM_FAILURE', message: expect.stringContaining(reason) },
    });
  });

  it.each<readonly [form: string, answer: (call: ReceivedCall) => void, code: string]>([
    [
      'another id',
      (call) => sendJson(call, responseTo({ id: call.id + 1 }, textResult('x'))),
      'UPSTREAM_FAILURE',
    ],
    ['no message', (call) => sendJson(call, '[]'), 'UPSTREAM_FAILURE'],
    ['no JSON', (call) => sendJson(call, 'what?'), 'UPSTREAM_FAILURE'],
    [
      'a page',
      (call) => void call.response.writeHead(200, { 'content-type': 'text/html' }).end('hi'),
      'UPSTREAM_FAILURE',
    ],
    ['nothing, as for a notification', (call) => void call.response.writeHead(202).end(), 'UPSTREAM_FAILURE'],
    [
      'an unknown encoding',
      (call) => sendJson(call, 'x', { 'content-encoding': 'rot13' }),
      'UPSTREAM_FAILURE',
    ],
    [
      'another id on a stream that stays open',
      (call) => {
        openEvents(call);
        call.response.write(event(responseTo({ id: call.id + 1 }, textResult('x'))));
      },
      'UPSTREAM_FAILURE',
    ],
    [
      'a stream that ends without a response',
      (call) => {
        openEvents(call);
        call.response.end(': bye\n\n');
      },
      'UPSTREAM_UNAVAILABLE',
    ],
  ])('fails a call at once that it answers with %s', async (_, answer, code) => {
    const { url } = await startScripted({ era, onCall: answer });
    const { call } = await openedGateway({ shop: { url } }, { settings: { retry: { attempts: 1 } } });
    expect(errorCodeOf(await call(RUN))).toBe(code);
  });

  it('is not waited for when it requests what the gateway cannot answer', async () => {
    const answers: unknown[] = [];
    const { url, messages } = await startScripted({
      era,
      onCall: (call) => {
        openEvents(call);
        const ask = (id: string, method: string): string =>
          event(JSON.stringify({ jsonrpc: '2.0', id, method, params: {} }));
        call.response.write(ask('first', 'ping') + ask('second', 'sampling/createMessage'));
        // In the older era the server gets an answer and goes on.
        const timer = setInterval(() => {
          answers.splice(0, answers.length, ...messages.filter(({ method }) => method === undefined));
          if (answers.length < 2) return;
          clearInterval(timer);
          call.response.end(event(responseTo(call, textResult('refused'))));
        }, 5);
        call.response.on('close', () => clearInterval(timer));
      },
    });
    const { call } = await openedGateway({ shop: { url } });
    const outcome = await call(RUN);
    if (era === '2025-11-25') {
      expect(textOf(outcome)).toBe('refused');
      expect(answers).toContainEqual(expect.objectContaining({ id: 'first', result: {} }));
      const refusal = { code: -32_601, message: 'Method not found' };
      expect(answers).toContainEqual(expect.objectContaining({ id: 'second', error: refusal }));
    } else {
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'UPSTREAM_FAILURE', message: expect.stringMatching(/^The tool asked for input/) },
      });
      await until('the answer to the ping', () => messages.some(({ id }) => id === 'first'));
    }
  });

  it('is resumed after its stream broke, where it numbers its events', async () => {
    let asked: ReceivedCall | undefined;
    const resumedAfter: unknown[] = [];
    const { url } = await startScripted({
      era,
      onCall: (call) => {
        asked = call;
        openEvents(call);
        call.response.write(`id: e1\nretry: 10\ndata:\n\n`, () => call.response.destroy());
      },
      onRequest: (request, response) => {
        if (request.method !== 'GET' || !asked) return false;
        resumedAfter.push(request.headers['last-event-id']);
        openEvents({ response });
        if (resumedAfter.length === 1) response.end('id: e2\ndata:\n\n');
        else response.end(event(responseTo(asked, textResult('late'))));
        return true;
      },
    });
    const { call } = await openedGateway({ shop: { url } });
    expect(textOf(await call(RUN))).toBe('late');
    expect(resumedAfter).toEqual(['e1', 'e2']);
  });

  it('gets a request again at the place that it redirects to, but never on another server', async () => {
    const elsewhere: string[] = [];
    const other = await startScripted({
      era,
      onCall: () => {},
      onRequest: ({ url = '' }) => elsewhere.push(url) > 0,
    });
    const seen: (string | undefined)[] = [];
    let isElsewhere = false;
    const { url } = await startScripted({
      era,
      onRequest: ({ url: path }, response) => {
        if (path !== '/mcp') return false;
        response.writeHead(307, { location: isElsewhere ? other.url : '/mcp/' }).end();
        return true;
      },
      onCall: (call) => {
        seen.push(call.request.url);
        if (call.params.arguments.away)
          return void call.response.writeHead(307, { location: other.url }).end();
        sendJson(call, responseTo(call, textResult('here')));
      },
    });
    const { call } = await openedGateway({ shop: { url } });
    expect(textOf(await call(RUN))).toBe('here');
    isElsewhere = true;
    expect(await call(RUN, { away: true })).toMatchObject({
      status: 'failed',
      error: { code: 'UPSTREAM_FAILURE' },
    });
    expect(seen).toEqual(['/mcp/', '/mcp/']);
    expect(elsewhere).toEqual([]);
  });

  it('gets the cancellation of a call, and its connection is closed', async () => {
    let isClosed = false;
    const cancelled = new AbortController();
    const { url, messages } = await startScripted({
      era,
      onCall: ({ response }) => {
        response.on('close', () => {
          isClosed = true;
        });
        cancelled.abort();
      },
    });
    const { call } = await openedGateway({ shop: { url } });
    expect(await call(RUN, {}, { signal: cancelled.signal })).toMatchObject({ status: 'failed' });
    await until('the connection to close', () => isClosed);
    const notified = messages.filter(({ method }) => method === 'notifications/cancelled');
    // In the 2026 era the closed connection itself is the cancellation.
    expect(notified).toHaveLength(era === '2026-07-28' ? 0 : 1);
  });
});

it('answers a request that the server sends before its response', async () => {
  const { url, messages } = await startScripted({
    era: '2025-11-25',
    onCall: (call) => {
      openEvents(call);
      call.response.write(event(JSON.stringify({ jsonrpc: '2.0', id: 'q1', method: 'roots/list' })));
      void until('the answer', () => messages.find(({ id }) => id === 'q1')).then(() =>
        call.response.end(event(responseTo(call, textResult('went on')))),
      );
    },
  });
  const { call } = await openedGateway({ shop: { url } });
  expect(textOf(await call(RUN))).toBe('went on');
  expect(messages).toContainEqual(expect.objectContaining({ id: 'q1', error: expect.anything() }));
});

it('passes every progress of a call on, also the last one before the response', async () => {
  const { call } = await openedGateway({
    'v1-stdio': stdioServer('v1-stdio'),
    'v2-stdio': stdioServer('v2-stdio'),
    'v1-http': { url: (await startHttpServer('v1-http')).url },
    'v2-http': { url: (await startHttpServer('v2-http')).url },
  });
  for (const name of ['v1-stdio', 'v2-stdio', 'v1-http', 'v2-http']) {
    for (let run = 0; run < 5; run++) {
      const seen: number[] = [];
      const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress);
      expect(textOf(await call(`/${name}/wait`, { ms: 4 }, { onProgress }))).toBe('waited');
      expect(seen, name).toEqual([1, 2, 3, 4]);
    }
  }
});

it('repeats marked arguments as headers for an upstream of the 2026 era', async () => {
  let headers: IncomingHttpHeaders = {};
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer', 'x-mcp-header': 'Level' },
    },
  };
  const { url } = await startScripted({
    era: '2026-07-28',
    tools: [{ name: 'run', inputSchema }],
    onCall: (call) => {
      headers = call.request.headers;
      sendJson(call, responseTo(call, textResult('ok')));
    },
  });
  const { call } = await openedGateway({ shop: { url } });
  expect(errorCodeOf(await call(RUN, { region: 'us-west1', level: 3 }))).toBe('ok');
  expect(headers).toMatchObject({ 'mcp-param-region': 'us-west1', 'mcp-param-level': '3' });
});

describe('an answer above maxAnswerBytes', () => {
  const LIMIT = 20_000;
  const long = 'x'.repeat(2 * LIMIT);
  const forms: readonly (readonly [form: string, answer: (call: ReceivedCall) => void])[] = [
    ['JSON', (call) => sendJson(call, responseTo(call, textResult(long)))],
    [
      'compressed JSON',
      (call) => sendJson(call, gzipSync(responseTo(call, textResult(long))), { 'content-encoding': 'gzip' }),
    ],
    [
      'one event',
      (call) => {
        openEvents(call);
        call.response.end(event(responseTo(call, textResult(long))));
      },
    ],
    [
      'an event without an end',
      (call) => {
        openEvents(call);
        const timer = setInterval(() => call.response.write(`data: ${'x'.repeat(1_000)}\n`), 1);
        call.response.on('close', () => clearInterval(timer));
      },
    ],
  ];

  it.each(forms)('as %s fails its call alone, and is not retried', async (_, answer) => {
    const neighbours: ReceivedCall[] = [];
    let received = 0;
    const { url } = await startScripted({
      era: '2025-11-25',
      onCall: (call) => {
        if (call.params.arguments.large) {
          received++;
          answer(call);
        } else neighbours.push(call);
      },
    });
    const { call, state } = await openedGateway(
      { shop: { url, maxAnswerBytes: LIMIT } },
      { settings: { retry: { attempts: 3 } } },
    );
    const beside = call('/shop/other');
    await until('the call beside it', () => neighbours.length === 1);
    expect(await call(RUN, { large: true })).toMatchObject({
      status: 'failed',
      error: {
        code: 'UPSTREAM_FAILURE',
        retryable: false,
        message: expect.stringContaining(`larger than its maxAnswerBytes (${LIMIT})`),
      },
    });
    expect(received).toBe(1);
    sendJson(neighbours[0]!, responseTo(neighbours[0]!, textResult('unharmed')));
    expect(textOf(await beside)).toBe('unharmed');
    expect(state('shop').kind).toBe('ready');
  });

  it.each(ERAS)(
    'as the tool list of an upstream of the era %s is the reason why it does not start',
    async (era) => {
      const tools = Array.from({ length: 100 }, (_, i) => ({
        name: `t${i}`,
        description: 'x'.repeat(500),
        inputSchema: {},
      }));
      const { url } = await startScripted({ era, tools, onCall: () => {} });
      const { state } = await openedGateway({ shop: { url, maxAnswerBytes: LIMIT } });
      expect(state('shop')).toMatchObject({
        kind: 'invalid',
        reason: expect.stringContaining(`maxAnswerBytes (${LIMIT})`),
      });
    },
  );
});

it.each([
  ['plain', (call: ReceivedCall, body: string) => sendJson(call, body)],
  [
    'compressed',
    (call: ReceivedCall, body: string) => sendJson(call, gzipSync(body), { 'content-encoding': 'gzip' }),
  ],
])('reads several large answers that come in at once: %s', async (_, answer) => {
  const large = 'x'.repeat(3_000_000);
  const { url } = await startScripted({
    era: '2025-11-25',
    onCall: (call) => answer(call, responseTo(call, textResult(large))),
  });
  const { call } = await openedGateway({ shop: { url } });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => call(RUN)));
  expect(outcomes.map(errorCodeOf)).toEqual(Array(5).fill('ok'));
});

describe('the Retry-After header of a refusal', () => {
  it.each([
    { status: 429, value: () => '30', code: 'RATE_LIMITED' },
    { status: 503, value: () => new Date(Date.now() + 30_000).toUTCString(), code: 'UPSTREAM_UNAVAILABLE' },
  ])('is reported with status $status', async ({ status, value, code }) => {
    const { url } = await startScripted({
      era: '2025-11-25',
      onCall: ({ response }) => void response.writeHead(status, { 'retry-after': value() }).end(),
    });
    const { call } = await openedGateway({ shop: { url } }, { settings: { retry: { attempts: 3 } } });
    const outcome = await call(RUN);
    expect(outcome).toMatchObject({ status: 'failed', error: { code, retryable: true } });
    const { retryAfterMs } = outcome.status === 'failed' ? outcome.error : {};
    expect(retryAfterMs).toBeGreaterThan(25_000);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  });

  it('is waited for before the next attempt', async () => {
    const times: number[] = [];
    const { url } = await startScripted({
      era: '2026-07-28',
      onCall: (call) => {
        times.push(Date.now());
        if (times.length === 1) call.response.writeHead(503, { 'retry-after': '1' }).end();
        else sendJson(call, responseTo(call, textResult('open again')));
      },
    });
    const { call } = await openedGateway(
      { shop: { url } },
      {
        settings: {
          retry: { attempts: 2, baseDelayMs: 1, maxDelayMs: 5_000 },
          tools: { 'shop:run': { mutation: 'read_only' } },
        },
      },
    );
    expect(textOf(await call(RUN))).toBe('open again');
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_000);
  });
});

it('offers no tool whose x-mcp-header is invalid, and reports why, in the era that has them', async () => {
  const tool = (name: string, mark: string): object => ({
    name,
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': mark } } },
  });
  const tools = [tool('good', 'Region'), tool('bad', 'My Region')];
  const onCall = (): void => {};
  const { toolNames, gateway } = await openedGateway({
    old: { url: (await startScripted({ era: '2025-11-25', onCall, tools })).url },
    new: { url: (await startScripted({ era: '2026-07-28', onCall, tools })).url },
  });
  expect(toolNames('old')).toEqual(['bad', 'good']);
  expect(toolNames('new')).toEqual(['good']);
  const findings = gateway.snapshot().reports.flatMap((report) => report.findings);
  expect(findings.filter(({ kind }) => kind === 'left_out')).toMatchObject([
    {
      namespace: 'new',
      upstreamName: 'bad',
      code: 'UNSUPPORTED',
      reason: 'input schema: x-mcp-header must be a header name; the upstream must correct it',
    },
  ]);
});
