import { describe, expect, it } from 'vitest';
import { encodeHeaderValue, eraHeaders } from './headers.ts';

describe('eraHeaders', () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' } as const;

  it('repeats version, method and name of a message of the 2026 era', () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(eraHeaders({ ...request, params: { name: 'echo', _meta } })).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    });
  });

  it('has none for a message of the older era', () => {
    expect(eraHeaders({ ...request, params: { name: 'echo', _meta: { progressToken: 1 } } })).toEqual({});
  });
});

describe('encodeHeaderValue', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['two words', 'two words'],
    ['', '=?base64??='],
    [' padded', '=?base64?IHBhZGRlZA==?='],
    ['Zürich', '=?base64?WsO8cmljaA==?='],
    ['a\r\nx: b', '=?base64?YQ0KeDogYg==?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
  ])('encodes %j as %j', (value, expected) => {
    expect(encodeHeaderValue(value)).toBe(expected);
  });
});
