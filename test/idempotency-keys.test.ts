/** Idempotency keys from every source: an argument, a header, `_meta`. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openTestGateway, type TestGateway } from './gateway.ts';

type KeySource = 'argument' | 'header' | '_meta';

let effects = 0;
const pay: NativeTool = {
  name: 'pay',
  version: '1.0.0',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  run: () => ({ paid: ++effects }),
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({}, { native: { shop: [pay] } });
  return gateway.close;
});

/** Calls the tool with a key. Returns the error code of a refusal, or the source of the result. */
async function callWithKey(from: KeySource, key: unknown, meta: object = {}): Promise<string> {
  const sentMeta = from === '_meta' ? { ...meta, 'toolgate/idempotencyKey': key } : meta;
  const args = { tool_id: '/shop/pay', args: {}, ...(from === 'argument' && { idempotency_key: key }) };
  const call = request(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(from === 'header' && { 'idempotency-key': String(key) }),
    },
  });
  call.end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tool_execute', arguments: args, _meta: sentMeta },
    }),
  );
  const body = await new Promise<string>((resolve, reject) => {
    call.once('error', reject).once('response', (response) => {
      if (response.statusCode === 200) text(response).then(resolve, reject);
      else resolve(`HTTP ${response.statusCode}`);
      response.resume();
    });
  });
  if (body.startsWith('HTTP')) return body;
  const [, message] = /(\{"(?:jsonrpc|result|id)".*\})/.exec(body)!;
  const { result } = JSON.parse(message!);
  return result.isError
    ? result._meta['toolgate/structured'].error
    : result._meta['toolgate/envelope'].provenance.source;
}

const MEGABYTE = 'k'.repeat(1_048_576);
const REFUSED: readonly [string, unknown][] = [
  ['empty', ''],
  ['blank', '   '],
  ['blank with other spaces', '\u2003\t'],
  ['of 257 characters', 'k'.repeat(257)],
  ['of a megabyte', MEGABYTE],
  ['a number', 7],
  ['true', true],
  ['a list', ['k']],
  ['an object', { key: 'k' }],
];
const ACCEPTED: readonly [string, string][] = [
  ['of one character', 'k'],
  ['of 256 characters', 'k'.repeat(256)],
  ['with control characters', 'a\u0000b\u001b[2J\n'],
  ['with a lone surrogate', 'a\ud800b'],
  ['with another lone surrogate', 'a\ud801b'],
  ['named like a property of every object', '__proto__'],
];

// With a progress token the SDK handles the message; without one the fast path does.
describe.each([
  ['the fast path', {}],
  ['the SDK', { progressToken: 1 }],
])('an idempotency key over %s', (_, meta) => {
  for (const source of ['argument', '_meta'] as const) {
    it.each(REFUSED)(`refuses a key that is %s as ${source}, without an effect`, async (__, key) => {
      const before = effects;
      expect(await callWithKey(source, key, meta)).toBe('ARGS_INVALID');
      expect(effects).toBe(before);
    });
  }

  it.each(ACCEPTED)('accepts a key that is %s, equal as an argument and in _meta', async (__, key) => {
    const uniqueKey = `${key.slice(0, 255)}${'progressToken' in meta ? 's' : 'p'}`;
    const before = effects;
    expect(await callWithKey('argument', uniqueKey, meta)).toBe('compute');
    expect(await callWithKey('_meta', uniqueKey, meta)).toBe('replay');
    expect(effects).toBe(before + 1);
  });

  it('accepts a key in a header, equal to an argument and with the same limits', async () => {
    const uniqueKey = `header-${'progressToken' in meta}`;
    expect(await callWithKey('header', uniqueKey, meta)).toBe('compute');
    expect(await callWithKey('argument', uniqueKey, meta)).toBe('replay');
    for (const key of ['', '   ', 'k'.repeat(257)])
      expect(await callWithKey('header', key, meta)).toBe('ARGS_INVALID');
    // Larger than the limit of HTTP for headers.
    expect(await callWithKey('header', MEGABYTE.slice(0, 65_536), meta)).toBe('HTTP 431');
  });

  it('treats null as no key', async () => {
    expect(await callWithKey('argument', null, meta)).toBe('compute');
    expect(await callWithKey('_meta', null, meta)).toBe('compute');
  });
});
