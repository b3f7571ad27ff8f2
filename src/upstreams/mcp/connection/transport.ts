import {
  isJSONRPCRequest,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { Agent, fetch as undiciFetch } from 'undici';
import { waitAtMost } from '../../../base/async/timeout.ts';
import { PRODUCT } from '../../../contract/product.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { HttpTarget, McpTarget, StdioTarget } from './target.ts';

/** A transport before the handshake. */
export interface OpenTransport {
  readonly transport: Transport;
  /** The last part of the child's stderr; empty over HTTP. */
  stderr(): string;
  close(): Promise<void>;
}

const USER_AGENT = `${PRODUCT.name}/${PRODUCT.version}`;
/** How long closing waits until the server has ended its session. */
const END_SESSION_TIMEOUT_MS = 2_000;

export interface TransportOptions {
  readonly maxAnswerBytes: number;
  /** Fires when a stream for notifications is open: those sent before it may have been lost. */
  readonly onStreamOpened: () => void;
  /** Fires once, when a server writes more than the gateway is willing to read. */
  readonly onFlood: () => void;
}

export function openTransport(target: McpTarget, options: TransportOptions): OpenTransport {
  return target.kind === 'stdio' ? openStdio(target, options) : openHttp(target, options.onStreamOpened);
}

function openStdio(target: StdioTarget, options: TransportOptions): OpenTransport {
  const transport = new StdioTransport(target, options);
  return { transport, stderr: () => transport.stderrText(), close: () => transport.close() };
}

function openHttp({ url, headers, transport: kind }: HttpTarget, onStreamOpened: () => void): OpenTransport {
  // No timeouts: the gateway enforces deadlines itself, and an idle stream is valid for any time.
  const agent = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });
  const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await undiciFetch(input, { ...(init as object), dispatcher: agent });
    if (init?.method === 'GET' && response.ok) onStreamOpened();
    return response as unknown as Response;
  };
  const sentHeaders = withUserAgent(headers);
  const options = { fetch, requestInit: { headers: sentHeaders } };
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), options)
      : new StreamAwareTransport(new URL(url), options);
  return {
    transport,
    stderr: () => '',
    close: async () => {
      await transport.close().catch(() => {});
      if (transport instanceof StreamAwareTransport && transport.sessionId !== undefined) {
        const session = {
          'mcp-session-id': transport.sessionId,
          ...versionHeader(transport.protocolVersion),
        };
        const ended = fetch(url, { method: 'DELETE', headers: { ...sentHeaders, ...session } });
        // The server may refuse (405) or be gone. The session then expires on its side.
        await waitAtMost(ended, { ms: END_SESSION_TIMEOUT_MS }).catch(() => {});
      }
      await agent.destroy();
    },
  };
}

function withUserAgent(headers: Readonly<Record<string, string>>): Record<string, string> {
  const hasUserAgent = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return hasUserAgent ? { ...headers } : { 'user-agent': USER_AGENT, ...headers };
}

function versionHeader(version: string | undefined): Record<string, string> {
  return version === undefined ? {} : { 'mcp-protocol-version': version };
}

const RECONNECTS = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 3,
};
const MAX_RECONNECTS = 3;

/** Streamable HTTP that fails a request whose stream ended without a response; the SDK would wait for a timeout. */
class StreamAwareTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, options: StreamableHTTPClientTransportOptions) {
    super(url, {
      ...options,
      reconnectionOptions: { ...RECONNECTS, maxRetries: Number.POSITIVE_INFINITY },
      reconnectionScheduler: (reconnect, delay, failures) => {
        // A stream that cannot be reopened has lost its server or its session.
        if (failures >= MAX_RECONNECTS) return void this.close();
        const timer = setTimeout(reconnect, delay);
        return () => clearTimeout(timer);
      },
    });
  }

  /** Rejects when the stream of the request ends. The SDK's `send` resolves with the headers and would miss that. */
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport['send']>
  ): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    await super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        // A response that arrived just before the end is still passing through promises of the SDK.
        setImmediate(
          reject,
          new SdkError(SdkErrorCode.ConnectionClosed, 'The stream ended without a response'),
        );
      },
    });
    return ended;
  }
}
