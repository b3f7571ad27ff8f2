import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SseError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { raceAbort } from '../../../base/async/abort.ts';
import type { JsonObject } from '../../../base/json/json.ts';
import { PRODUCT } from '../../../contract/product.ts';
import { listTools } from '../list-tools.ts';
import { type CallChannel, metaEnvelope } from './call-channel.ts';
import { type Era, type EraCache, eraKey } from './era-cache.ts';
import { HttpCalls } from './http/http-calls.ts';
import { ParamHeaders } from './http/param-headers.ts';
import { StreamableHttpTransport } from './http/transport.ts';
import { MessageCalls } from './message-calls.ts';
import type { OpenTransport } from './open-transport.ts';
import { stderrTail } from './stdio/stderr-tail.ts';
import { subscribeToChanges } from './subscribe.ts';
import type { McpTarget } from './target.ts';
import { openTransport } from './transport.ts';

/** An open connection after the handshake and the first tool list. */
export interface Connection {
  /** For everything but calls. */
  readonly client: Client;
  readonly calls: CallChannel;
  /** Only over HTTP in the 2026 era. */
  readonly paramHeaders: ParamHeaders | undefined;
  readonly protocol: string;
  /** The list at the time of the handshake. */
  readonly tools: readonly unknown[];
  /** Whether the server has a session, which it may lose. */
  readonly hasSession: () => boolean;
  close(): Promise<void>;
}

export interface ConnectOptions extends ConnectEvents {
  readonly target: McpTarget;
  readonly eras: EraCache;
  readonly era: Era;
  readonly maxAnswerBytes: number;
  /** Aborts the attempt at any point. */
  readonly signal: AbortSignal;
  /** Time limit of the probe that finds the era of the server. */
  readonly probeTimeoutMs: number;
}

export interface ConnectEvents {
  readonly onToolsChanged: () => void;
  /** Fires on an event that may mean that the server is gone. */
  readonly onSuspectedLoss: () => void;
  readonly onClosed: () => void;
  /** Gets a defect of the server that its operator should correct. */
  readonly onWarning: (message: string) => void;
  /** Gets every close that has begun, also those of attempts that failed: a process takes a while to end. */
  readonly onClosing: (closing: Promise<void>) => void;
}

/** Disables the timeout of the SDK: the signal of the attempt ends its requests. */
const NO_TIMEOUT = 0x7fff_ffff;

/** Why a connection failed, with the last stderr of the server. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly stderrTail: string;

  constructor(cause: unknown, tail: string) {
    super('failed to connect to the server', { cause });
    this.stderrTail = tail;
  }
}

/** Opens a connection in the era of the server and reads the first tool list. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { target, eras, era, signal } = options;
  // Over HTTP the probe costs one request. It is repeated, so that an upgraded server is found at once.
  if (target.kind === 'http' || era !== 'auto') return open(options, undefined);
  const key = eraKey(target);
  const prior = eras.recall(key);
  const openIn = async (discovery: PriorDiscovery | undefined): Promise<Connection> => {
    const connection = await open(options, discovery);
    eras.remember(key, discoveryOf(connection.client));
    return connection;
  };
  try {
    return await openIn(prior);
  } catch (thrown) {
    eras.forget(key);
    if (signal.aborted) throw thrown;
    // The server answers, but no longer in the cached era: probe it.
    if (prior && isRefusal(thrown)) return openIn(undefined);
    // Some older servers exit at a request before `initialize`, which the probe is.
    if (!prior && isFailedProbe(thrown)) return openIn({ kind: 'legacy' });
    throw thrown;
  }
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ConnectFailed && thrown.cause instanceof ProtocolError;
}

function isFailedProbe(thrown: unknown): boolean {
  const cause = thrown instanceof ConnectFailed ? thrown.cause : undefined;
  return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
}

function discoveryOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult();
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
}

async function open(options: ConnectOptions, prior: PriorDiscovery | undefined): Promise<Connection> {
  const { target, signal } = options;
  const opened = openTransport(target, { ...options, onStreamOpened: options.onToolsChanged });
  const client = newClient(options);
  const closing = new AbortController();
  let calls: CallChannel | undefined;
  const close = (): Promise<void> => {
    client.onclose = undefined;
    calls?.close();
    closing.abort();
    const closed = client
      .close()
      .catch(() => {})
      .then(() => opened.close());
    options.onClosing(closed);
    return closed;
  };
  client.onclose = () => {
    calls?.close();
    closing.abort();
    options.onClosed();
  };
  try {
    const handshaking = handshake({ client, opened, prior, closing: closing.signal }, options);
    const tools = await raceAbort(handshaking, signal);
    const protocol = client.getNegotiatedProtocolVersion() ?? 'unknown';
    const isModern = client.getProtocolEra() === 'modern';
    calls = openCalls(opened, isModern ? metaEnvelope(protocol) : undefined);
    const paramHeaders = isModern && target.kind === 'http' ? new ParamHeaders() : undefined;
    paramHeaders?.update(tools);
    return {
      client,
      calls,
      paramHeaders,
      protocol,
      tools,
      hasSession: () => opened.transport.sessionId !== undefined,
      close,
    };
  } catch (cause) {
    void close();
    throw new ConnectFailed(cause, stderrTail(opened.stderr(), target.kind === 'stdio' ? target.env : {}));
  }
}

function openCalls({ transport }: OpenTransport, envelope: JsonObject | undefined): CallChannel {
  return transport instanceof StreamableHttpTransport
    ? new HttpCalls(transport, envelope)
    : new MessageCalls(transport, envelope);
}

function newClient(options: ConnectOptions): Client {
  const client = new Client(PRODUCT, {
    versionNegotiation: { mode: negotiationMode(options), probe: { timeoutMs: options.probeTimeoutMs } },
    inputRequired: { autoFulfill: false },
  });
  client.setNotificationHandler('notifications/tools/list_changed', options.onToolsChanged);
  client.onerror = (error) => {
    // All responses of the SSE transport arrive on this one stream, so pending ones are lost with it. Other errors outside
    // a request are ignored: the next request or the close shows them.
    if (error instanceof SseError) void client.close().catch(() => {});
  };
  return client;
}

function negotiationMode({ target, era }: ConnectOptions): VersionNegotiationMode {
  const isSse = target.kind === 'http' && target.transport === 'sse';
  if (isSse || era === 2025) return 'legacy';
  return era === 2026 ? { pin: '2026-07-28' } : 'auto';
}

interface HandshakeOptions {
  readonly client: Client;
  readonly opened: OpenTransport;
  readonly prior: PriorDiscovery | undefined;
  readonly closing: AbortSignal;
}

/** Subscribes to changes before it reads the list, so that no change is missed in between. */
async function handshake(
  { client, opened, prior, closing }: HandshakeOptions,
  { signal, maxAnswerBytes, onToolsChanged, onSuspectedLoss }: ConnectOptions,
): Promise<readonly unknown[]> {
  const bounds = { signal, timeout: NO_TIMEOUT };
  await client.connect(opened.transport, { ...bounds, ...(prior && { prior }) });
  // The cached era only selects the handshake. The server's current capabilities must come from the server.
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
  return listTools(client, signal, maxAnswerBytes);
}
