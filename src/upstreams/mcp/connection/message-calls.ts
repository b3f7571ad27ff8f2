import { SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../../base/json/json.ts';
import {
  type CallChannel,
  cancellation,
  notConnected,
  resultOf,
  type ToolCall,
  takeProgress,
  toolCallRequest,
} from './call-channel.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './json-rpc.ts';

type Send = Transport['send'];

interface PendingCall {
  readonly request: JsonRpcRequest;
  readonly call: ToolCall;
  readonly resolve: (response: JsonRpcResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls over a transport with one stream of messages for all requests: stdio, and HTTP with server-sent events. */
export class MessageCalls implements CallChannel {
  readonly #transport: Transport;
  readonly #envelope: JsonObject | undefined;
  readonly #pending = new Map<string, PendingCall>();
  #isClosed = false;

  /** The transport must be connected: its messages pass through here on their way to the SDK's client. */
  constructor(transport: Transport, envelope: JsonObject | undefined) {
    this.#transport = transport;
    this.#envelope = envelope;
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (!this.#take(message as unknown as JsonObject)) deliver?.(message, extra);
    };
  }

  async call(call: ToolCall): Promise<unknown> {
    if (this.#isClosed) throw notConnected();
    const request = toolCallRequest(call, this.#envelope);
    const { signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcResponse>();
    const key = String(request.id);
    const cancel = (): void => {
      reject(signal.reason);
      const params = {
        ...cancellation(request, signal.reason),
        ...(this.#envelope && { _meta: this.#envelope }),
      };
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
    };
    this.#pending.set(key, { request, call, resolve, reject });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      this.#send(request).catch(reject);
      return resultOf(await promise);
    } finally {
      this.#pending.delete(key);
      signal.removeEventListener('abort', cancel);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values())
      reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
  }

  #send(message: object): Promise<void> {
    return this.#transport.send(message as Parameters<Send>[0]);
  }

  #take(message: JsonObject): boolean {
    if ('method' in message) return this.#takeProgress(message);
    const pending = this.#pending.get(String(message.id));
    pending?.resolve(message);
    return pending !== undefined;
  }

  #takeProgress(message: JsonObject): boolean {
    const { params } = message;
    const pending = isJsonObject(params) ? this.#pending.get(String(params.progressToken)) : undefined;
    if (!pending?.call.onProgress) return false;
    return takeProgress(message, pending.request, pending.call.onProgress);
  }
}
