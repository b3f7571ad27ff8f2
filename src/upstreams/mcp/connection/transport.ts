import {
  isJSONRPCRequest,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, fetch as undiciFetch } from 'undici';
import type { HttpTarget, McpTarget, StdioTarget } from './target.ts';

/** The way to a server, before a word is said on it. */
export interface OpenTransport {
  readonly transport: Transport;
  /** What the child has printed beside the protocol, its last part; empty over HTTP. */
  printed(): string;
  close(): Promise<void>;
}

const KEPT_STDERR = 2_000;

/** `onStreamOpened`: a stream for what the server says unasked is open, and what it said before was not heard. */
export function openTransport(target: McpTarget, onStreamOpened: () => void): OpenTransport {
  return target.kind === 'stdio' ? openStdio(target) : openHttp(target, onStreamOpened);
}

function openStdio({ command, args, env, cwd }: StdioTarget): OpenTransport {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
    ...(cwd !== undefined && { cwd }),
  });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString('utf8')).slice(-KEPT_STDERR);
  });
  return { transport, printed: () => printed, close: () => transport.close().catch(() => {}) };
}

function openHttp({ url, headers, transport: kind }: HttpTarget, onStreamOpened: () => void): OpenTransport {
  // Deadlines are ours to keep; a stream may be silent for as long as its server likes.
  const agent = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });
  const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await undiciFetch(input, { ...(init as object), dispatcher: agent });
    if (init?.method === 'GET' && response.ok) onStreamOpened();
    return response as unknown as Response;
  };
  const options = { fetch, requestInit: { headers: { ...headers } } };
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), options)
      : new StreamAwareTransport(new URL(url), options);
  return {
    transport,
    printed: () => '',
    close: async () => {
      await transport.close().catch(() => {});
      await agent.destroy();
    },
  };
}

const REOPENINGS = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 3,
};
const MAX_REOPENINGS = 3;

/** Streamable HTTP that notices when an answer can no longer come, where the SDK would wait for a timeout. */
class StreamAwareTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, options: StreamableHTTPClientTransportOptions) {
    super(url, {
      ...options,
      reconnectionOptions: { ...REOPENINGS, maxRetries: Number.POSITIVE_INFINITY },
      reconnectionScheduler: (reopen, delay, failures) => {
        // A stream that cannot be opened again has lost its server or its session.
        if (failures >= MAX_REOPENINGS) return void this.close();
        const timer = setTimeout(reopen, delay);
        return () => clearTimeout(timer);
      },
    });
  }

  /** The request fails with its stream: sending is over when an answer is impossible, not when the headers came. */
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
        // An answer that came just before the end is still on its way through the promises of the SDK.
        setImmediate(
          reject,
          new SdkError(SdkErrorCode.ConnectionClosed, 'The stream ended without an answer'),
        );
      },
    });
    return ended;
  }
}
