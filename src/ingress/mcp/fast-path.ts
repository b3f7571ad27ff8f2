import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { PRODUCT } from '../../contract/product.ts';
import { PROTOCOL_VERSION_HEADER, type ReadHeader } from './call-context.ts';
import { isRequestId } from './check-message.ts';
import { isMetaTool } from './gateway/meta-tools.ts';

/**
 * The fast path: a call without progress, in either era: one message in, one message out. The SDK would create a server, a
 * transport and an event stream for it, which cost more than the call. The SDK handles every unusual message and every
 * refusal; only the codec differs, and the call passes the same phases.
 */
export interface PlainCall {
  readonly id: RequestId;
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  /** Whether the message is of the 2026 era. */
  readonly isModern: boolean;
}

const PROTOCOL_PREFIX = 'io.modelcontextprotocol/';
const OLDER_ERA = new Set(SUPPORTED_PROTOCOL_VERSIONS);
const MODERN_VERSION = '2026-07-28';
const ENVELOPE_KEYS = 3;
const PLAIN_PARAMS = new Set(['name', 'arguments', '_meta']);
const PLAIN_CLIENT_INFO = new Set(['name', 'version', 'title']);

export function parsePlainCall(header: ReadHeader, message: unknown): PlainCall | undefined {
  if (!isJsonObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call')
    return undefined;
  const { id, params } = message;
  if (!isRequestId(id)) return undefined;
  if (!isJsonObject(params) || typeof params.name !== 'string' || !isMetaTool(params.name)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (!isJsonObject(args) || !isJsonObject(meta) || meta.progressToken !== undefined) return undefined;
  if (!isJsonContentType(header('content-type')) || !acceptsBoth(header('accept'))) return undefined;
  const isModern = hasPlainEnvelope(meta);
  if (isModern ? !isPlainModern(header, params) : !isPlainOlder(header, meta)) return undefined;
  return { id, name, args, meta, isModern };
}

/** The answer to a plain call, as the SDK encodes it in the era of the call. */
export function plainResponse({ id, isModern }: PlainCall, result: CallToolResult): object {
  if (!isModern) return { jsonrpc: '2.0', id, result };
  const _meta = { ...result._meta, [SERVER_INFO_META_KEY]: PRODUCT };
  return { jsonrpc: '2.0', id, result: { ...result, _meta, resultType: 'complete' } };
}

function isPlainOlder(header: ReadHeader, meta: JsonObject): boolean {
  const version = header(PROTOCOL_VERSION_HEADER);
  if (version !== undefined && !OLDER_ERA.has(version)) return false;
  return countProtocolKeys(meta) === 0;
}

/** The headers must repeat the message. A member besides the usual ones, such as the state of an earlier round, is unusual. */
function isPlainModern(header: ReadHeader, params: JsonObject): boolean {
  return (
    header(PROTOCOL_VERSION_HEADER) === MODERN_VERSION &&
    header('mcp-method') === 'tools/call' &&
    header('mcp-name') === params.name &&
    Object.keys(params).every((key) => PLAIN_PARAMS.has(key))
  );
}

/** The keys that every message of the 2026 era has, and no other key of the protocol. */
function hasPlainEnvelope(meta: JsonObject): boolean {
  const {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  } = meta;
  if (version !== MODERN_VERSION || !isJsonObject(client) || !isJsonObject(capabilities)) return false;
  if (typeof client.name !== 'string' || typeof client.version !== 'string') return false;
  return (
    Object.entries(client).every(([key, value]) => PLAIN_CLIENT_INFO.has(key) && typeof value === 'string') &&
    Object.values(capabilities).every(isJsonObject) &&
    countProtocolKeys(meta) === ENVELOPE_KEYS
  );
}

function countProtocolKeys(meta: JsonObject): number {
  return Object.keys(meta).filter((key) => key.startsWith(PROTOCOL_PREFIX)).length;
}

function acceptsBoth(accept: string | undefined): boolean {
  return ['application/json', 'text/event-stream'].every((type) => accept?.includes(type));
}
