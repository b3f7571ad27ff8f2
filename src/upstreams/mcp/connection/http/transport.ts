import {
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import type { Agent } from 'undici';
import type { JsonObject } from '../../../../base/json/json.ts';
import type { JsonRpcRequest } from '../json-rpc.ts';
import type { HttpHeaders } from './headers.ts';
import { HttpChannel } from './http-channel.ts';
import type { SdkMessage } from './response-reader.ts';

export interface StreamableHttpOptions {
  readonly url: string;
  readonly headers: HttpHeaders;
  readonly agent: Agent;
  readonly maxAnswerBytes: number;
  /** For what the SDK sends itself: the handshake, notifications and the stream of the server's notifications. */
  readonly fetch: NonNullable<StreamableHTTPClientTransportOptions['fetch']>;
}

type Send = StreamableHTTPClientTransport['send'];

const RECONNECTS = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 3,
};
const MAX_RECONNECTS = 3;

/**
 * Streamable HTTP whose requests are sent by `HttpChannel`, after the handshake. A request whose answer ends without a
 * response fails at once; the SDK would wait for a timeout.
 */
export class StreamableHttpTransport extends StreamableHTTPClientTransport {
  readonly channel: HttpChannel;

  constructor({ url, headers, agent, maxAnswerBytes, fetch }: StreamableHttpOptions) {
    super(new URL(url), {
      fetch,
      requestInit: { headers: { ...headers } },
      reconnectionOptions: { ...RECONNECTS, maxRetries: Number.POSITIVE_INFINITY },
      reconnectionScheduler: (reconnect, delay, failures) => {
        // A stream that cannot be reopened has lost its server or its session.
        if (failures >= MAX_RECONNECTS) return void this.close();
        const timer = setTimeout(reconnect, delay);
        return () => clearTimeout(timer);
      },
    });
    this.channel = new HttpChannel({
      agent,
      url,
      headers,
      maxAnswerBytes,
      sessionHeaders: () => this.sessionHeaders(),
    });
  }

  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    if (!isRequest(message)) return super.send(message, options);
    // The SDK learns the session from the response to this request.
    if (message.method === 'initialize') return this.#sendInitialize(message, options);
    try {
      const response = await this.channel.request(message as JsonRpcRequest, {
        headers: options?.headers,
        signal: options?.requestSignal,
        onMessage: (received) => this.onmessage?.(received),
      });
      this.onmessage?.(response as unknown as SdkMessage);
    } catch (error) {
      options?.onRequestStreamEnd?.();
      throw error;
    }
  }

  /** Sends a notification. A server that cannot be reached does not get it. */
  async notify(method: string, params: JsonObject): Promise<void> {
    await super.send({ jsonrpc: '2.0', method, params } as SdkMessage).catch(() => {});
  }

  /** Rejects when the stream of the request ends. The SDK's `send` resolves with the headers and would miss that. */
  async #sendInitialize(...[message, options]: Parameters<Send>): Promise<void> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    const onRequestStreamEnd = (): void => {
      // A response that arrived just before the end is still passing through promises of the SDK.
      setImmediate(
        reject,
        new SdkError(SdkErrorCode.ConnectionClosed, 'The stream ended without a response'),
      );
    };
    await super.send(message, { ...options, onRequestStreamEnd });
    return ended;
  }

  /** What every request of this session states in the older era. */
  sessionHeaders(): HttpHeaders {
    const { sessionId, protocolVersion } = this;
    return {
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
      ...(protocolVersion !== undefined && { 'mcp-protocol-version': protocolVersion }),
    };
  }
}

function isRequest(
  message: Parameters<Send>[0],
): message is Extract<SdkMessage, { method: string; id: unknown }> {
  return !Array.isArray(message) && 'method' in message && 'id' in message && message.id !== undefined;
}
