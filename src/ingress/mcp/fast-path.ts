import { isJsonContentType, type RequestId, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { PROTOCOL_VERSION_HEADER, type ReadHeader } from './call-context.ts';
import { isRequestId } from './check-message.ts';
import { isMetaTool } from './gateway/meta-tools.ts';

/**
 * The fast path: a call of the 2025 era without progress: one message in, one message out. The SDK would create a server, a transport and
 * an event stream for it, which cost more than the call. The SDK handles every unusual message and every refusal; only the
 * codec differs, and the call passes the same phases.
 */
export interface PlainCall {
  readonly id: RequestId;
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject;
}

const PROTOCOL_PREFIX = 'io.modelcontextprotocol/';
const OLDER_ERA = new Set(SUPPORTED_PROTOCOL_VERSIONS);

export function parsePlainCall(header: ReadHeader, message: unknown): PlainCall | undefined {
  if (!isJsonObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call')
    return undefined;
  const { id, params } = message;
  if (!isRequestId(id)) return undefined;
  if (!isJsonObject(params) || typeof params.name !== 'string' || !isMetaTool(params.name)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (!isJsonObject(args) || !isJsonObject(meta) || meta.progressToken !== undefined) return undefined;
  if (Object.keys(meta).some((key) => key.startsWith(PROTOCOL_PREFIX))) return undefined;
  const version = header(PROTOCOL_VERSION_HEADER);
  if (version !== undefined && !OLDER_ERA.has(version)) return undefined;
  if (!isJsonContentType(header('content-type')) || !acceptsBoth(header('accept'))) return undefined;
  return { id, name, args, meta };
}

function acceptsBoth(accept: string | undefined): boolean {
  return ['application/json', 'text/event-stream'].every((type) => accept?.includes(type));
}
