import { describe, expect, it } from 'vitest';
import { parsePlainCall } from './fast-path.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const PARAMS = { name: 'tool_browse', arguments: { query: 'echo' } };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
};
const MODERN_HEADERS = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'tool_browse',
};
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: PARAMS };

function parse(message: unknown, headers: Record<string, string | undefined> = {}): unknown {
  const sent: Record<string, string | undefined> = { ...HEADERS, ...headers };
  return parsePlainCall((name) => sent[name], message);
}

describe('parsePlainCall', () => {
  it('parses a call of the 2025 era that expects one answer', () => {
    expect(parse(CALL)).toEqual({
      id: 1,
      name: 'tool_browse',
      args: { query: 'echo' },
      meta: {},
      isModern: false,
    });
    expect(parse({ ...CALL, id: 'a', params: { name: 'tool_view' } })).toMatchObject({ id: 'a', args: {} });
    expect(parse(CALL, { 'mcp-protocol-version': '2025-06-18' })).toBeDefined();
    expect(parse(CALL, { 'content-type': 'application/json; charset=utf-8' })).toBeDefined();
  });

  it('keeps the trace of the call', () => {
    const params = { ...PARAMS, _meta: { traceparent: '00-1-2-03' } };
    expect(parse({ ...CALL, params })).toMatchObject({ meta: { traceparent: '00-1-2-03' } });
  });

  it.each([
    ['another method', { ...CALL, method: 'tools/list' }],
    ['a notification', { jsonrpc: '2.0', method: 'tools/call', params: PARAMS }],
    ['a null id', { ...CALL, id: null }],
    ['an id that is not an integer', { ...CALL, id: 1.5 }],
    ['another version of JSON-RPC', { ...CALL, jsonrpc: '1.0' }],
    ['an unknown tool', { ...CALL, params: { name: 'tool_delete' } }],
    ['a tool name that is a property of every object', { ...CALL, params: { name: 'toString' } }],
    ['no parameters', { ...CALL, params: undefined }],
    ['arguments that are not an object', { ...CALL, params: { ...PARAMS, arguments: [] } }],
    ['a progress token', { ...CALL, params: { ...PARAMS, _meta: { progressToken: 0 } } }],
    [
      'the envelope of the 2026 era',
      { ...CALL, params: { ...PARAMS, _meta: { 'io.modelcontextprotocol/x': 1 } } },
    ],
    ['a batch', [CALL]],
    ['null', null],
  ])('leaves the message to the SDK: %s', (_, message) => {
    expect(parse(message)).toBeUndefined();
  });

  it.each([
    ['a protocol version of the 2026 era', { 'mcp-protocol-version': '2026-07-28' }],
    ['an unknown protocol version', { 'mcp-protocol-version': '1999-01-01' }],
    ['another content type', { 'content-type': 'text/plain' }],
    ['no content type', { 'content-type': undefined }],
    ['an Accept header without JSON', { accept: 'text/event-stream' }],
    ['an Accept header without event streams', { accept: 'application/json' }],
  ])('leaves the request to the SDK: %s', (_, headers) => {
    expect(parse(CALL, headers)).toBeUndefined();
  });
});

describe('parsePlainCall in the 2026 era', () => {
  const parseModern = (meta: object, headers: object = {}, params: object = {}): unknown =>
    parse(
      { ...CALL, params: { ...PARAMS, ...params, _meta: { ...ENVELOPE, ...meta } } },
      { ...MODERN_HEADERS, ...headers },
    );

  it('parses a call whose headers repeat it', () => {
    expect(parseModern({ traceparent: '00-1-2-03' })).toEqual({
      id: 1,
      name: 'tool_browse',
      args: { query: 'echo' },
      meta: { ...ENVELOPE, traceparent: '00-1-2-03' },
      isModern: true,
    });
  });

  const key = (name: string): string => `io.modelcontextprotocol/${name}`;
  it.each<{ what: string; meta?: object; headers?: object; params?: object }>([
    { what: 'another version', meta: { [key('protocolVersion')]: '2027-01-01' } },
    { what: 'no client', meta: { [key('clientInfo')]: undefined } },
    { what: 'a client without a version', meta: { [key('clientInfo')]: { name: 'client' } } },
    { what: 'a client with icons', meta: { [key('clientInfo')]: { name: 'a', version: '1', icons: [] } } },
    { what: 'unusual capabilities', meta: { [key('clientCapabilities')]: { sampling: true } } },
    { what: 'another key of the protocol', meta: { [key('logLevel')]: 'debug' } },
    { what: 'a progress token', meta: { progressToken: 1 } },
    { what: 'no version header', headers: { 'mcp-protocol-version': undefined } },
    { what: 'a version header of the older era', headers: { 'mcp-protocol-version': '2025-11-25' } },
    { what: 'another method header', headers: { 'mcp-method': 'tools/list' } },
    { what: 'another name header', headers: { 'mcp-name': 'tool_view' } },
    { what: 'the state of an earlier round', params: { requestState: 's' } },
  ])('leaves the request to the SDK: $what', ({ meta = {}, headers, params }) => {
    expect(parseModern(meta, headers, params)).toBeUndefined();
  });
});
