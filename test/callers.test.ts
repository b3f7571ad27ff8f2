/** Every request has its own caller, also when several principals share one connection. */
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_USER } from '../src/contract/call/principal.ts';
import type { Rule } from '../src/governance/rule.ts';
import type { Identify } from '../src/ingress/identity.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway } from './gateway.ts';

/** A stand-in for real authentication: the header names the principal. */
const identifyByHeader: Identify = (headers) => {
  const id = String(headers['x-test-principal'] ?? 'nobody');
  return { principal: { ...LOCAL_USER, id }, credential: `test:${id}` };
};

/** Each tool belongs to the principal that its name starts with. */
const owned: Rule = {
  name: 'owned',
  evaluate: ({ principal, contract }) =>
    contract.name.startsWith(`${principal.id}_`) ? undefined : { effect: 'deny', text: 'not the owner' },
};

function toolOf(owner: string): NativeTool {
  return {
    name: `${owner}_note`,
    version: '1.0.0',
    description: 'Writes a note.',
    inputSchema: { type: 'object' },
    run: () => ({ owner }),
  };
}

type Path = 'fast path' | 'SDK path';

/** Requests of several principals on one connection. */
async function openConnection() {
  const native = { notes: [toolOf('ann'), toolOf('ben')] };
  const { url, receipts } = await openedGateway({}, { native, rules: [owned], identify: identifyByHeader });
  const connection = new Client(url);
  onTestFinished(() => connection.close());
  let id = 0;
  const send = async (
    principal: string,
    path: Path,
    call: { readonly name: string; readonly arguments: object },
  ): Promise<{ readonly text: string; readonly isError?: boolean }> => {
    // A call that asks for progress is answered with a stream, which only the SDK makes.
    const _meta = path === 'SDK path' ? { progressToken: ++id } : {};
    const { body } = await connection.request({
      path: '/mcp',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-test-principal': principal,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { ...call, _meta } }),
    });
    const text = await body.text();
    expect(text.startsWith('{')).toBe(path === 'fast path');
    const message = text.startsWith('{')
      ? text
      : text
          .split('\n')
          .find((line) => line.startsWith('data: '))!
          .slice(6);
    const { result } = JSON.parse(message);
    return { text: result.content[0].text, isError: result.isError };
  };
  return { send, connection, url, receipts };
}

describe.each<Path>(['fast path', 'SDK path'])('two principals on one connection (%s)', (path) => {
  it('see different catalogs', async () => {
    const { send } = await openConnection();
    for (const [principal, other] of [
      ['ann', 'ben'],
      ['ben', 'ann'],
      ['ann', 'ben'],
    ] as const) {
      const { text } = await send(principal, path, { name: 'tool_browse', arguments: { path: '/notes' } });
      expect(text).toContain(`notes:${principal}_note@1.0.0`);
      expect(text).not.toContain(other);
    }
  });

  it('call only their own tools, and leave receipts under their own names', async () => {
    const { send, receipts } = await openConnection();
    const execute = (tool_id: string) => ({ name: 'tool_execute', arguments: { tool_id } });
    expect(await send('ann', path, execute('/notes/ann_note'))).toMatchObject({ text: '{"owner":"ann"}' });
    expect(await send('ben', path, execute('/notes/ben_note'))).toMatchObject({ text: '{"owner":"ben"}' });
    const denied = await send('ben', path, execute('/notes/ann_note'));
    const absent = await send('ben', path, execute('/notes/absent'));
    const withoutTrace = (text: string) => text.replace(/"trace_id":"[^"]+"/, '');
    expect(denied.isError).toBe(true);
    expect(withoutTrace(denied.text)).toBe(withoutTrace(absent.text));
    const calls = (await receipts()).map(({ principalId, status }) => [principalId, status]);
    expect(calls).toEqual([
      ['ben', 'failed'],
      ['ben', 'failed'],
      ['ben', 'ok'],
      ['ann', 'ok'],
    ]);
  });
});

it('counts only the tools that the caller may see in /healthz', async () => {
  const { connection } = await openConnection();
  const health = async (principal: string) => {
    const headers = { 'x-test-principal': principal };
    const { body } = await connection.request({ path: '/healthz', method: 'GET', headers });
    return (await body.json()) as { upstreams: { namespace: string; tools: number }[] };
  };
  expect((await health('ann')).upstreams).toMatchObject([{ namespace: 'notes', tools: 1 }]);
  expect((await health('carl')).upstreams).toEqual([]);
});
