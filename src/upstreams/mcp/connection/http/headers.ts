import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../../../base/json/json.ts';
import type { JsonRpcRequest } from '../json-rpc.ts';

export type HttpHeaders = Readonly<Record<string, string>>;

/** The member of the parameters that the header `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Headers that the 2026 era requires, for proxies that read no messages. A message of the older era has none. */
export function eraHeaders({ method, params }: JsonRpcRequest): HttpHeaders {
  const meta = isJsonObject(params?._meta) ? params._meta : {};
  const version = meta[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return {};
  const name = params?.[NAMED_BY.get(method) ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  };
}

const PLAIN_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED_VALUE = /^=\?base64\?.*\?=$/;

/** A value that is not plain ASCII, or that looks encoded, is sent as base64 (MCP 2026-07-28, Streamable HTTP). */
export function encodeHeaderValue(value: string): string {
  if (PLAIN_VALUE.test(value) && !ENCODED_VALUE.test(value)) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
