import { describe, expect, it } from 'vitest';
import { parsePlainCall } from './fast-path.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const PARAMS = { name: 'tool_browse', arguments: { query: 'echo' } };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: PARAMS };

function plain(message: unknown, headers: Record<string, string | undefined> = {}): unknown {
  const given: Record<string, string | undefined> = { ...HEADERS, ...headers };
  return parsePlainCall((name) => given[name], message);
}

describe('a call of the older era', () => {
  it('is plain when it asks for one answer', () => {
    expect(plain(CALL)).toEqual({
      id: 1,
      name: 'tool_browse',
      args: { query: 'echo' },
      meta: {},
    });
    expect(plain({ ...CALL, id: 'a', params: { name: 'tool_view' } })).toMatchObject({ id: 'a', args: {} });
    expect(plain(CALL, { 'mcp-protocol-version': '2025-06-18' })).toBeDefined();
    expect(plain(CALL, { 'content-type': 'application/json; charset=utf-8' })).toBeDefined();
  });

  it('keeps its trace', () => {
    const params = { ...PARAMS, _meta: { traceparent: '00-1-2-03' } };
    expect(plain({ ...CALL, params })).toMatchObject({ meta: { traceparent: '00-1-2-03' } });
  });

  it.each([
    ['another method', { ...CALL, method: 'tools/list' }],
    ['a notification', { jsonrpc: '2.0', method: 'tools/call', params: PARAMS }],
    ['an id that is none', { ...CALL, id: null }],
    ['an id that is no whole number', { ...CALL, id: 1.5 }],
    ['another version of JSON-RPC', { ...CALL, jsonrpc: '1.0' }],
    ['an unknown tool', { ...CALL, params: { name: 'tool_delete' } }],
    ['a name that objects have', { ...CALL, params: { name: 'toString' } }],
    ['no parameters', { ...CALL, params: undefined }],
    ['arguments that are none', { ...CALL, params: { ...PARAMS, arguments: [] } }],
    ['a wish for progress', { ...CALL, params: { ...PARAMS, _meta: { progressToken: 0 } } }],
    [
      'the envelope of the younger era',
      { ...CALL, params: { ...PARAMS, _meta: { 'io.modelcontextprotocol/x': 1 } } },
    ],
    ['a batch', [CALL]],
    ['nothing', null],
  ])('is left to the SDK with %s', (_, message) => {
    expect(plain(message)).toBeUndefined();
  });

  it.each([
    ['the younger era', { 'mcp-protocol-version': '2026-07-28' }],
    ['a version that nobody has', { 'mcp-protocol-version': '1999-01-01' }],
    ['another type of content', { 'content-type': 'text/plain' }],
    ['no type of content', { 'content-type': undefined }],
    ['no wish for an answer in JSON', { accept: 'text/event-stream' }],
    ['no wish for a stream', { accept: 'application/json' }],
  ])('is left to the SDK with headers of %s', (_, headers) => {
    expect(plain(CALL, headers)).toBeUndefined();
  });
});
