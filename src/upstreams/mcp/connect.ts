import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, fetch as undiciFetch } from 'undici';
import { plainLine } from '../../contract/plain-text.ts';
import { type EraMemory, eraKey } from './era-memory.ts';
import type { HttpTarget, McpTarget, StdioTarget } from './target.ts';

/** An open line to a server that has shaken hands. */
export interface Connection {
  readonly client: Client;
  readonly protocol: string;
  /** Whether the server keeps a session that it can forget. */
  readonly hasSession: () => boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly target: McpTarget;
  readonly eras: EraMemory;
  readonly timeoutMs: number;
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

const CLIENT = { name: 'toolgate', version: '0.1.0' };
const LIST_CHANGED_DEBOUNCE_MS = 200;
const KEPT_STDERR = 2_000;

/** Why a server could not be reached, with what it printed last: the operator's first question. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly stderr: string;

  constructor(cause: unknown, stderr: string) {
    super('the server could not be reached', { cause });
    this.stderr = plainLine(
      stderr
        .split('\n')
        .filter((line) => line.trim() !== '')
        .at(-1) ?? '',
      160,
    );
  }
}

export async function connect(options: ConnectOptions): Promise<Connection> {
  const key = eraKey(options.target);
  const prior = options.eras.recall(key);
  const line = openLine(options.target);
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.max(options.timeoutMs / 3, 1_000) } },
    inputRequired: { autoFulfill: false },
    listChanged: {
      tools: { autoRefresh: false, debounceMs: LIST_CHANGED_DEBOUNCE_MS, onChanged: options.onToolsChanged },
    },
  });
  client.onclose = options.onClosed;
  // Errors beside a request have no caller; what matters of them shows in the next request or in the close.
  client.onerror = () => {};
  try {
    await client.connect(line.transport, { timeout: options.timeoutMs, ...(prior && { prior }) });
  } catch (cause) {
    options.eras.forget(key);
    void client.close().catch(() => {});
    void line.close();
    throw new ConnectFailed(cause, line.stderr());
  }
  const discover = client.getDiscoverResult();
  options.eras.remember(key, discover ? { kind: 'modern', discover } : { kind: 'legacy' });
  return {
    client,
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    hasSession: () => line.transport.sessionId !== undefined,
    close: async () => {
      client.onclose = undefined;
      await client.close().catch(() => {});
      await line.close();
    },
  };
}

interface Line {
  readonly transport: Transport;
  stderr(): string;
  close(): Promise<void>;
}

function openLine(target: McpTarget): Line {
  return target.kind === 'stdio' ? openStdio(target) : openHttp(target);
}

function openStdio({ command, args, env, cwd }: StdioTarget): Line {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
    ...(cwd !== undefined && { cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-KEPT_STDERR);
  });
  return { transport, stderr: () => stderr, close: () => transport.close().catch(() => {}) };
}

function openHttp({ url, headers, transport: kind }: HttpTarget): Line {
  // Deadlines are ours to keep; a stream may be silent for as long as its server likes.
  const agent = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });
  const fetch = (input: string | URL, init?: RequestInit): Promise<Response> =>
    undiciFetch(input, { ...(init as object), dispatcher: agent }) as unknown as Promise<Response>;
  const options = { fetch, requestInit: { headers: { ...headers } } };
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), options);
  return { transport, stderr: () => '', close: () => agent.destroy() };
}
