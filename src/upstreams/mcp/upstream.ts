import type { ToolResult } from '../../contract/content.ts';
import { Fault } from '../../contract/errors.ts';
import { plainLine } from '../../contract/plain-text.ts';
import type { Upstream, UpstreamCall, UpstreamListener } from '../../contract/ports/upstream.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { backoffMs } from './backoff.ts';
import { callTool } from './call.ts';
import { ConnectFailed, type Connection, connect } from './connect.ts';
import { describeTool } from './describe.ts';
import type { EraMemory } from './era-memory.ts';
import { classify, isLineLost, unavailable, wasNeverActedUpon } from './errors.ts';
import { listTools } from './list-tools.ts';
import { startFailure } from './start-failure.ts';
import type { McpTarget } from './target.ts';

export interface McpUpstreamOptions {
  readonly namespace: string;
  readonly target: McpTarget;
  readonly eras: EraMemory;
  readonly startTimeoutMs: number;
  readonly probeIntervalMs: number;
}

const PROBE_TIMEOUT_MS = 5_000;
/** A connection that lasted this long was a good one: losing it later is not the server's habit. */
const STABLE_MS = 10_000;
/** How long a call waits for an attempt that is not under way yet. */
const PATIENCE_MS = 1_000;

/** One MCP server behind a line that is kept open: lost, it is made anew, and calls wait for it as long as they may. */
export class McpUpstream implements Upstream {
  readonly namespace: string;
  readonly #options: McpUpstreamOptions;
  #listener: UpstreamListener | undefined;
  #state: UpstreamState = { kind: 'starting', since: now() };
  #connection: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #retry: { readonly timer: NodeJS.Timeout; readonly dueAt: number } | undefined;
  #probe: NodeJS.Timeout | undefined;
  #failures = 0;
  #connectedAt = 0;
  #stopped = false;

  constructor(options: McpUpstreamOptions) {
    this.namespace = options.namespace;
    this.#options = options;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  async start(listener: UpstreamListener): Promise<void> {
    this.#listener = listener;
    this.#setState({ kind: 'starting', since: now() });
    await this.#connect();
  }

  async call(call: UpstreamCall): Promise<ToolResult> {
    try {
      return await this.#callOnce(call);
    } catch (thrown) {
      if (!(thrown instanceof NotActedUpon)) throw thrown;
      return this.#callOnce(call).catch((again) => {
        throw again instanceof NotActedUpon ? again.fault : again;
      });
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry?.timer);
    clearInterval(this.#probe);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#setState({ kind: 'stopped', since: now() });
    await connection?.close();
  }

  async #callOnce(call: UpstreamCall): Promise<ToolResult> {
    const connection = await this.#line(call);
    try {
      return await callTool(connection.client, call);
    } catch (thrown) {
      if (call.signal.aborted && call.signal.reason instanceof Fault) throw call.signal.reason;
      const fault = classify(thrown, this.namespace);
      const notActedUpon = wasNeverActedUpon(thrown, connection.hasSession());
      if (notActedUpon || isLineLost(fault)) this.#lost(connection, 'the connection was lost during a call');
      throw notActedUpon ? new NotActedUpon(fault) : fault;
    }
  }

  /** The open line; or the one that is being made, for as long as the call's signal allows. */
  async #line({ signal }: UpstreamCall): Promise<Connection> {
    if (!this.#connection && !this.#attempt && this.#retry && this.#retry.dueAt - Date.now() <= PATIENCE_MS) {
      clearTimeout(this.#retry.timer);
      void this.#connect();
    }
    if (!this.#connection && this.#attempt) await untilEither(this.#attempt, signal);
    if (this.#connection) return this.#connection;
    if (signal.aborted && signal.reason instanceof Fault) throw signal.reason;
    if (this.#state.kind === 'needs_credentials') {
      throw new Fault('UPSTREAM_AUTH_FAILED', `${this.namespace} needs credentials: ${this.#state.reason}`);
    }
    const wait = this.#retry && Math.max(this.#retry.dueAt - Date.now(), 0);
    throw unavailable(this.namespace, undefined, wait);
  }

  #connect(): Promise<void> {
    this.#retry = undefined;
    this.#attempt ??= this.#tryToConnect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #tryToConnect(): Promise<void> {
    const { target, eras, startTimeoutMs } = this.#options;
    let connection: Connection | undefined;
    try {
      const opened = await connectWithin(startTimeoutMs, {
        target,
        eras,
        timeoutMs: startTimeoutMs,
        onToolsChanged: () => void this.#refresh(),
        onClosed: () => connection && this.#lost(connection, 'the server closed the connection'),
      });
      connection = opened;
      if (this.#stopped) return void opened.close();
      const tools = await listTools(opened.client, startTimeoutMs);
      this.#connection = opened;
      this.#connectedAt = Date.now();
      this.#listener?.described(tools.map(describeTool));
      this.#setState({ kind: 'ready', since: now(), protocol: opened.protocol });
      this.#watch(opened);
    } catch (thrown) {
      void connection?.close();
      this.#failed(thrown);
    }
  }

  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    try {
      const tools = await listTools(connection.client, this.#options.startTimeoutMs);
      if (connection === this.#connection) this.#listener?.described(tools.map(describeTool));
    } catch (thrown) {
      const fault = classify(thrown, this.namespace);
      if (isLineLost(fault)) this.#lost(connection, 'the list could not be read again');
    }
  }

  /** Asks now and then whether the server is alive: over HTTP nothing else would tell. */
  #watch(connection: Connection): void {
    clearInterval(this.#probe);
    this.#probe = setInterval(() => {
      const options = { timeout: PROBE_TIMEOUT_MS };
      const { client } = connection;
      const probe = client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options);
      probe.catch(() => this.#lost(connection, 'the server does not answer'));
    }, this.#options.probeIntervalMs);
    this.#probe.unref();
  }

  #lost(connection: Connection, reason: string): void {
    if (connection !== this.#connection || this.#stopped) return;
    this.#connection = undefined;
    void connection.close();
    if (Date.now() - this.#connectedAt >= STABLE_MS) this.#failures = 0;
    this.#scheduleRetry({ kind: 'unavailable', reason });
    this.#failures++;
  }

  #failed(thrown: unknown): void {
    if (this.#stopped) return;
    this.#failures++;
    const fault = classify(thrown instanceof ConnectFailed ? thrown.cause : thrown, this.namespace);
    this.#scheduleRetry(startFailure(fault, thrown, this.#options.target));
  }

  #scheduleRetry(failure: { kind: 'unavailable' | 'needs_credentials' | 'invalid'; reason: string }): void {
    clearInterval(this.#probe);
    const wait = backoffMs(this.#failures);
    const dueAt = Date.now() + wait;
    const timer = setTimeout(() => void this.#connect(), wait);
    timer.unref();
    this.#retry = { timer, dueAt };
    const reason = plainLine(failure.reason, 200);
    this.#setState(
      failure.kind === 'unavailable'
        ? { kind: 'unavailable', since: now(), reason, retryAt: new Date(dueAt).toISOString() }
        : { kind: failure.kind, since: now(), reason },
    );
  }

  #setState(state: UpstreamState): void {
    this.#state = state;
    this.#listener?.stateChanged(state);
  }
}

/** Wraps a fault of a call that the upstream cannot have seen: the only kind that may be sent again. */
class NotActedUpon extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

async function connectWithin(timeoutMs: number, options: Parameters<typeof connect>[0]): Promise<Connection> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Fault('DEADLINE_EXCEEDED', 'no answer in time')), timeoutMs);
  const opening = connect(options);
  try {
    return await Promise.race([opening, expired]);
  } catch (thrown) {
    // Whoever lost the race is not left running.
    opening.then((late) => late.close()).catch(() => {});
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

function untilEither(attempt: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  signal.addEventListener('abort', done, { once: true });
  attempt.then(done, done);
  return promise.finally(() => signal.removeEventListener('abort', done));
}

function now(): string {
  return new Date().toISOString();
}
