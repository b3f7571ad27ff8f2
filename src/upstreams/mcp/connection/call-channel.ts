import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../../base/json/json.ts';
import type { Progress } from '../../../contract/call/call-request.ts';
import { Fault } from '../../../contract/errors/fault.ts';
import { PRODUCT } from '../../../contract/product.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './json-rpc.ts';

/** One tool call as the upstream gets it. */
export interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  /** For proxies, which read headers and no messages. Without effect on stdio. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Cancels the call at the server. */
  readonly signal: AbortSignal;
}

/**
 * Sends `tools/call` requests beside the SDK's client. The client passes progress on after the response that it precedes,
 * so that the last one is lost, and rejects results that differ from its schemas after the tool has run.
 */
export interface CallChannel {
  /** The result as the server sent it. Rejects with a `ProtocolError` where the server answered with an error. */
  call(call: ToolCall): Promise<unknown>;
  /** Fails the calls in flight and every later one: the connection is closed. */
  close(): void;
}

/** The client of the SDK numbers its own requests from zero on: lists and probes. */
const FIRST_ID = 1_000_000;
let lastId = FIRST_ID;

/** In the 2026 era each request states version and client; there is no handshake that did. */
export function metaEnvelope(protocol: string): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocol,
    [CLIENT_INFO_META_KEY]: { ...PRODUCT },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

export function toolCallRequest(
  { name, args, meta, onProgress }: ToolCall,
  envelope: JsonObject | undefined,
): JsonRpcRequest {
  const id = ++lastId;
  const _meta = { ...envelope, ...meta, ...(onProgress && { progressToken: id }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta } };
}

export function cancellation(
  { id }: JsonRpcRequest,
  reason: unknown,
): { requestId: string | number; reason: string } {
  return { requestId: id, reason: cancellationReason(reason) };
}

/** Passes the message on where it is progress of this call. */
export function takeProgress(
  message: JsonObject,
  { id }: JsonRpcRequest,
  onProgress: (progress: Progress) => void,
): boolean {
  const { method, params } = message;
  if (method !== 'notifications/progress' || !isJsonObject(params)) return false;
  const { progressToken, ...progress } = params;
  if (String(progressToken) !== String(id)) return false;
  onProgress(progress as unknown as Progress);
  return true;
}

export function notConnected(): SdkError {
  return new SdkError(SdkErrorCode.NotConnected, 'Not connected');
}

export function resultOf({ result, error }: JsonRpcResponse): unknown {
  if (error === undefined) return result;
  if (!isJsonObject(error) || typeof error.code !== 'number')
    throw new SdkError(SdkErrorCode.InvalidResult, 'The server answered with an error that has no code');
  throw ProtocolError.fromError(error.code, String(error.message), error.data);
}

/** The reason that the caller gave, or else the gateway's own. */
function cancellationReason(reason: unknown): string {
  if (reason instanceof Fault && typeof reason.details?.reason === 'string') return reason.details.reason;
  return reason instanceof Error ? reason.message : String(reason);
}
