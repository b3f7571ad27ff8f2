import { Client, type PriorDiscovery, ProtocolError, SseError } from '@modelcontextprotocol/client';
import { raceAbort } from '../../../base/async/abort.ts';
import { PRODUCT } from '../../../contract/product.ts';
import { listTools } from '../list-tools.ts';
import { type EraCache, eraKey } from './era-cache.ts';
import { stderrTail } from './stderr-tail.ts';
import { subscribeToChanges } from './subscribe.ts';
import type { McpTarget } from './target.ts';
import { type OpenTransport, openTransport } from './transport.ts';

/** An open line to a server that has shaken hands and said what it has. */
export interface Connection {
  readonly client: Client;
  readonly protocol: string;
  /** The list as it was when the line was opened. */
  readonly tools: readonly unknown[];
  /** Whether the server keeps a session that it can forget. */
  readonly hasSession: () => boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly target: McpTarget;
  readonly eras: EraCache;
  /** Ends the attempt, whatever it is waiting for. */
  readonly signal: AbortSignal;
  /** How long the server may take to say which era it speaks. */
  readonly probeTimeoutMs: number;
  readonly onToolsChanged: () => void;
  /** Something happened to the line that may mean that the server has gone. */
  readonly onSuspectedLoss: () => void;
  readonly onClosed: () => void;
}

/** The attempt's signal is what ends a request; this only keeps the SDK's shorter default from doing so. */
const NO_TIMEOUT = 0x7fff_ffff;

/** Why a server could not be reached, with what it printed last. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly stderrTail: string;

  constructor(cause: unknown, lastWords: string) {
    super('the server could not be reached', { cause });
    this.stderrTail = lastWords;
  }
}

/** Opens a line and reads the first list, in the era that the server speaks. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { target, eras, signal } = options;
  // Only on stdio does asking cost a process; over HTTP an upgraded server is noticed at once.
  const key = target.kind === 'stdio' ? eraKey(target) : undefined;
  const prior = key === undefined ? undefined : eras.recall(key);
  try {
    const connection = await open(options, prior);
    if (key !== undefined) eras.remember(key, verdictOf(connection.client));
    return connection;
  } catch (thrown) {
    if (key !== undefined) eras.forget(key);
    // It answers, but not any more in the era that was remembered: ask it.
    const isOutdated = prior && thrown instanceof ConnectFailed && thrown.cause instanceof ProtocolError;
    if (isOutdated && !signal.aborted) return connect(options);
    throw thrown;
  }
}

function verdictOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult();
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
}

async function open(options: ConnectOptions, prior: PriorDiscovery | undefined): Promise<Connection> {
  const { target, signal } = options;
  const line = openTransport(target, options.onToolsChanged);
  const client = newClient(options);
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    client.onclose = undefined;
    closing.abort();
    await client.close().catch(() => {});
    await line.close();
  };
  client.onclose = () => {
    closing.abort();
    options.onClosed();
  };
  try {
    const greeting = handshake({ client, line, prior, closing: closing.signal }, options);
    const tools = await raceAbort(greeting, signal);
    return {
      client,
      protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
      tools,
      hasSession: () => line.transport.sessionId !== undefined,
      close,
    };
  } catch (cause) {
    void close();
    throw new ConnectFailed(cause, stderrTail(line.printed(), target.kind === 'stdio' ? target.env : {}));
  }
}

function newClient({ target, probeTimeoutMs, onToolsChanged }: ConnectOptions): Client {
  const isOldest = target.kind === 'http' && target.transport === 'sse';
  const client = new Client(PRODUCT, {
    versionNegotiation: { mode: isOldest ? 'legacy' : 'auto', probe: { timeoutMs: probeTimeoutMs } },
    inputRequired: { autoFulfill: false },
  });
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.onerror = (error) => {
    // Answers come on this one stream: without it, those under way will never come. Other errors beside a request have
    // no caller; what matters of them shows in the next request or in the close.
    if (error instanceof SseError) void client.close().catch(() => {});
  };
  return client;
}

interface HandshakeOptions {
  readonly client: Client;
  readonly line: OpenTransport;
  readonly prior: PriorDiscovery | undefined;
  readonly closing: AbortSignal;
}

/** Shakes hands, listens for changes, and only then reads the list: nothing can change unheard. */
async function handshake(
  { client, line, prior, closing }: HandshakeOptions,
  { signal, onToolsChanged, onSuspectedLoss }: ConnectOptions,
): Promise<readonly unknown[]> {
  const bounds = { signal, timeout: NO_TIMEOUT };
  await client.connect(line.transport, { ...bounds, ...(prior && { prior }) });
  // A remembered era is a way to begin. What the server can do today, it must say itself.
  if (prior?.kind === 'modern') await client.discover(bounds);
  const { tools } = client.getDiscoverResult()?.capabilities ?? client.getServerCapabilities() ?? {};
  if (!tools) return [];
  if (tools.listChanged && client.getProtocolEra() === 'modern') {
    await subscribeToChanges({
      client,
      signal: closing,
      onInterrupted: onSuspectedLoss,
      onReopened: onToolsChanged,
    });
  }
  return listTools(client, signal);
}
