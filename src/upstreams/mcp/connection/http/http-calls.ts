import type { JsonObject } from '../../../../base/json/json.ts';
import { Fault } from '../../../../contract/errors/fault.ts';
import {
  type CallChannel,
  cancellation,
  notConnected,
  resultOf,
  type ToolCall,
  takeProgress,
  toolCallRequest,
} from '../call-channel.ts';
import type { SdkMessage } from './response-reader.ts';
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
      onMessage: (message) => this.#pass(message),
      ...(onProgress && { takeMessage: (message) => takeProgress(message, request, onProgress) }),
      // In the 2026 era closing the request cancels the call. Before it, a notification does.
      ...(this.#envelope === undefined && {
        onAbort: () =>
          this.#transport.notify('notifications/cancelled', cancellation(request, signal.reason)),
      }),
    });
    return resultOf(response);
  }

  /**
   * MCP of 2026 has no requests from the server, and the SDK drops them. A server that sends one waits for its answer, and
   * the caller with it. It belongs to the call of this response, which fails at once.
   */
  #pass(message: SdkMessage): void {
    if (!this.#envelope || !('method' in message && 'id' in message)) this.#transport.onmessage?.(message);
    else if (message.method !== 'ping') throw inputNotSupported();
    else void this.#transport.send({ jsonrpc: '2.0', id: message.id, result: {} }).catch(() => {});
  }

  /** The calls in flight fail with their connections, which the owner of the transport closes. */
  close(): void {
    this.#isClosed = true;
  }
}

function inputNotSupported(): Fault {
  const message =
    'The tool asked for input of the client, such as sampling, elicitation or roots, which the gateway cannot give. Use another tool, or set the era of the upstream to 2025.';
  return new Fault('UPSTREAM_FAILURE', message);
}
