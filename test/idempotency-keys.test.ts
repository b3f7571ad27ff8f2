/** Idempotency keys by every way in: as an argument, in a header, in `_meta`. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openTestGateway, type TestGateway } from './gateway.ts';

type Way = 'argument' | 'header' | '_meta';

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

/** What is refused is told by its code; what is answered by where the answer came from. */
async function pays(way: Way, key: unknown, meta: object = {}): Promise<string> {
  const named = way === '_meta' ? { ...meta, 'toolgate/idempotencyKey': key } : meta;
  const args = { tool_id: '/shop/pay', args: {}, ...(way === 'argument' && { idempotency_key: key }) };
  const call = request(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(way === 'header' && { 'idempotency-key': String(key) }),
    },
  });
  call.end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tool_execute', arguments: args, _meta: named },
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
    ? result.structuredContent.error
    : result._meta['toolgate/envelope'].provenance.source;
}

const MEGABYTE = 'k'.repeat(1_048_576);
const REFUSED: readonly [string, unknown][] = [
  ['empty', ''],
  ['blank', '   '],
  ['blank in another way', '\u2003\t'],
  ['of 257 characters', 'k'.repeat(257)],
  ['of a megabyte', MEGABYTE],
  ['a number', 7],
  ['true', true],
  ['a list', ['k']],
  ['an object', { key: 'k' }],
];
const TAKEN: readonly [string, string][] = [
  ['of one character', 'k'],
  ['of 256 characters', 'k'.repeat(256)],
  ['with control characters', 'a\u0000b\u001b[2J\n'],
  ['with half a surrogate pair', 'a\ud800b'],
  ['with another half of one', 'a\ud801b'],
  ['named like a property of every object', '__proto__'],
];

// With progress the SDK takes the message; without it is one in, one out.
describe.each([
  ['one message in, one message out', {}],
  ['a stream', { progressToken: 1 }],
])('a key over %s', (_, meta) => {
  for (const way of ['argument', '_meta'] as const) {
    it.each(REFUSED)(`as ${way} that is %s is refused, and nothing happens`, async (__, key) => {
      const before = effects;
      expect(await pays(way, key, meta)).toBe('ARGS_INVALID');
      expect(effects).toBe(before);
    });
  }

  it.each(TAKEN)('that is %s is one key, as an argument and in _meta', async (__, key) => {
    const mine = `${key.slice(0, 255)}${'progressToken' in meta ? 's' : 'p'}`;
    const before = effects;
    expect(await pays('argument', mine, meta)).toBe('compute');
    expect(await pays('_meta', mine, meta)).toBe('replay');
    expect(effects).toBe(before + 1);
  });

  it('in a header is the same key, and as long', async () => {
    const mine = `header-${'progressToken' in meta}`;
    expect(await pays('header', mine, meta)).toBe('compute');
    expect(await pays('argument', mine, meta)).toBe('replay');
    for (const key of ['', '   ', 'k'.repeat(257)])
      expect(await pays('header', key, meta)).toBe('ARGS_INVALID');
    // More than HTTP lets any header be.
    expect(await pays('header', MEGABYTE.slice(0, 65_536), meta)).toBe('HTTP 431');
  });

  it('that is null is none', async () => {
    expect(await pays('argument', null, meta)).toBe('compute');
    expect(await pays('_meta', null, meta)).toBe('compute');
  });
});
