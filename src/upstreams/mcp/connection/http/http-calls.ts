import type { JsonObject } from '../../../../base/json/json.ts';
import {
  type CallChannel,
  cancellation,
  notConnected,
  resultOf,
  type ToolCall,
  takeProgress,
  toolCallRequest,
} from '../call-channel.ts';
import type { StreamableHttpTransport } from './transport.ts';

/** Calls over Streamable HTTP: one POST for each, and its answer in the response. */
export class HttpCalls implements CallChannel {
  readonly #transport: StreamableHttpTransport;
  readonly #envelope: JsonObject | undefined;
  #isClosed = false;

  constructor(transport: StreamableHttpTransport, envelope: JsonObject | undefined) {
    this.#transport = transport;
    this.#envelope = envelope;
  }

  async call(call: ToolCall): Promise<unknown> {
    if (this.#isClosed) throw notConnected();
    const { signal, headers, onProgress } = call;
    const request = toolCallRequest(call, this.#envelope);
    const response = await this.#transport.channel.request(request, {
      signal,
      headers,
      onMessage: (message) => this.#transport.onmessage?.(message),
      ...(onProgress && { takeMessage: (message) => takeProgress(message, request, onProgress) }),
      // In the 2026 era closing the request cancels the call. Before it, a notification does.
      ...(this.#envelope === undefined && {
        onAbort: () =>
          this.#transport.notify('notifications/cancelled', cancellation(request, signal.reason)),
      }),
    });
    return resultOf(response);
  }

  /** The calls in flight fail with their connections, which the owner of the transport closes. */
  close(): void {
    this.#isClosed = true;
  }
}
