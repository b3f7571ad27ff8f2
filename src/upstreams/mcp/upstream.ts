import { setTimeout as pause } from 'node:timers/promises';
import { raceAbort } from '../../base/async/abort.ts';
import { backoffMs } from '../../base/async/backoff.ts';
import { Debouncer } from '../../base/async/debounce.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Upstream, UpstreamCall, UpstreamListener } from '../../contract/ports/upstream.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { callTool } from './call.ts';
import { ConnectFailed, type Connection, connect } from './connection/connect.ts';
import type { EraCache } from './connection/era-cache.ts';
import { isAlive } from './connection/liveness.ts';
import { type StartFailure, startFailure } from './connection/start-failure.ts';
import type { McpTarget } from './connection/target.ts';
import { describeTool } from './describe.ts';
import { classify, unreachable, wasNotDelivered } from './errors.ts';
import { listTools } from './list-tools.ts';

export interface McpUpstreamOptions {
  readonly namespace: string;
  readonly target: McpTarget;
  readonly eras: EraCache;
  readonly startTimeoutMs: number;
  readonly probeIntervalMs: number;
}

/** A connection that lasted this long was a good one: losing it later is not the server's habit. */
const STABLE_MS = 10_000;
/** However many calls wait for it, a server that is gone is not tried more often than this. */
const ATTEMPT_SPACING_MS = 1_000;
const LONGEST_ERA_PROBE_MS = 10_000;
const LIST_CHANGES = { quietMs: 200, longestMs: 2_000 };

/** One MCP server behind a line that is kept open: lost, it is made anew, and calls wait for it as long as they may. */
export class McpUpstream implements Upstream {
  readonly namespace: string;
  readonly #options: McpUpstreamOptions;
  readonly #stopping = new AbortController();
  readonly #relisting = new Debouncer(() => this.#refresh(), LIST_CHANGES);
  #listener: UpstreamListener | undefined;
  #state: UpstreamState = { kind: 'starting', since: now() };
  #connection: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #attemptedAt = 0;
  #retry: { readonly timer: NodeJS.Timeout; readonly dueAt: number } | undefined;
  #probe: NodeJS.Timeout | undefined;
  #asking: { readonly connection: Connection; readonly answer: Promise<void> } | undefined;
  #callsUnderWay = 0;
  #failures = 0;
  #connectedAt = 0;

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
      if (!(thrown instanceof NotDelivered)) throw thrown;
      return this.#callOnce(call).catch((again) => {
        throw again instanceof NotDelivered ? again.fault : again;
      });
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    clearTimeout(this.#probe);
    this.#relisting.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#setState({ kind: 'stopped', since: now() });
    await Promise.all([connection?.close(), this.#attempt]);
  }

  async #callOnce(call: UpstreamCall): Promise<ToolResult> {
    const { abandonSignal = call.signal } = call;
    const connection = await this.#line(call);
    await call.beforeSend();
    this.#callsUnderWay++;
    try {
      return await callTool(connection.client, call);
    } catch (thrown) {
      if (abandonSignal.aborted && abandonSignal.reason instanceof Fault) throw abandonSignal.reason;
      const fault = classify(thrown, this.namespace);
      if (wasNotDelivered(thrown, connection.hasSession())) {
        this.#lost(connection, 'the connection was lost');
        throw new NotDelivered(fault.with({ effect: 'none' }));
      }
      // Other calls may still be under way on the same line: it is given up only when the server is not there.
      if (fault.code === 'UPSTREAM_UNAVAILABLE') void this.#ask(connection);
      throw fault;
    } finally {
      this.#callsUnderWay--;
    }
  }

  /** The open line; or the one that is being made, for as long as the call's signal allows. */
  async #line({ signal }: UpstreamCall): Promise<Connection> {
    if (!this.#connection) await this.#nextAttempt(signal);
    if (this.#connection) return this.#connection;
    if (signal.aborted && signal.reason instanceof Fault) throw signal.reason;
    if (this.#state.kind === 'needs_credentials') {
      const message = `${this.namespace} needs credentials: ${this.#state.reason}`;
      throw new Fault('UPSTREAM_AUTH_FAILED', message, { effect: 'none' });
    }
    const wait = this.#retry && Math.max(this.#retry.dueAt - Date.now(), 0);
    throw unreachable(this.namespace, wait);
  }

  /** A call brings the next attempt forward, so that it meets a server that has just come back; calls do not hammer it. */
  async #nextAttempt(signal: AbortSignal): Promise<void> {
    if (!this.#attempt && this.#retry) {
      const wait = Math.min(this.#retry.dueAt, this.#attemptedAt + ATTEMPT_SPACING_MS) - Date.now();
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => {});
      if (!this.#connection && this.#retry && !signal.aborted) void this.#connect();
    }
    if (!this.#connection && this.#attempt) await raceAbort(this.#attempt, signal).catch(() => {});
  }

  #connect(): Promise<void> {
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    this.#attempt ??= this.#tryToConnect().finally(() => {
      this.#attempt = undefined;
      this.#attemptedAt = Date.now();
    });
    return this.#attempt;
  }

  async #tryToConnect(): Promise<void> {
    const { target, eras, startTimeoutMs } = this.#options;
    let opened: Connection | undefined;
    const onceOpened = (act: (connection: Connection) => void) => (): void => {
      if (opened) act(opened);
    };
    try {
      opened = await connect({
        target,
        eras,
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(startTimeoutMs)]),
        probeTimeoutMs: Math.min(startTimeoutMs / 3, LONGEST_ERA_PROBE_MS),
        onToolsChanged: () => this.#relisting.call(),
        onSuspectedLoss: onceOpened((connection) => void this.#ask(connection)),
        onClosed: onceOpened((connection) => this.#lost(connection, 'the server closed the connection')),
      });
      if (this.#stopping.signal.aborted) return await opened.close();
      this.#listener?.toolsListed(opened.tools.map(describeTool));
      this.#connection = opened;
      this.#connectedAt = Date.now();
      this.#setReady(opened);
      this.#watch(opened);
    } catch (thrown) {
      void opened?.close();
      this.#failed(thrown);
    }
  }

  /** Reads the list again. Told of a change before there is a connection, it waits for it. */
  async #refresh(): Promise<void> {
    await this.#attempt;
    const connection = this.#connection;
    if (!connection) return;
    try {
      const tools = await listTools(connection.client, AbortSignal.timeout(this.#options.startTimeoutMs));
      if (connection === this.#connection) this.#listener?.toolsListed(tools.map(describeTool));
    } catch {
      // The old list stands. When the server has gone, this finds out, and the next connection brings a new one.
      await this.#ask(connection);
    }
  }

  /** Asks now and then whether the server is alive: over HTTP nothing else would tell. */
  #watch(connection: Connection): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => void this.#ask(connection), this.#options.probeIntervalMs);
    this.#probe.unref();
  }

  /** Whoever asks while the same line is being asked gets the same answer. */
  #ask(connection: Connection): Promise<void> {
    if (connection !== this.#connection) return Promise.resolve();
    if (this.#asking?.connection === connection) return this.#asking.answer;
    clearTimeout(this.#probe);
    const answer = this.#askOnce(connection).finally(() => {
      if (this.#asking?.answer === answer) this.#asking = undefined;
    });
    this.#asking = { connection, answer };
    return answer;
  }

  async #askOnce(connection: Connection): Promise<void> {
    const alive = await isAlive(connection.client);
    if (connection !== this.#connection) return;
    const isReady = this.#state.kind === 'ready';
    if (!alive && this.#callsUnderWay === 0) return this.#lost(connection, 'the server does not answer');
    // A server that works on a call may be too busy to answer, and giving up the line would cost the call.
    if (!alive && isReady) this.#setUnavailable('the server does not answer', undefined);
    if (alive && !isReady) this.#setReady(connection);
    this.#watch(connection);
  }

  #lost(connection: Connection, reason: string): void {
    if (connection !== this.#connection || this.#stopping.signal.aborted) return;
    this.#connection = undefined;
    void connection.close();
    if (Date.now() - this.#connectedAt >= STABLE_MS) this.#failures = 0;
    this.#retryLater({ kind: 'unavailable', reason });
    this.#failures++;
  }

  #failed(thrown: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#failures++;
    const fault = classify(thrown instanceof ConnectFailed ? thrown.cause : thrown, this.namespace);
    this.#retryLater(startFailure(fault, thrown, this.#options.target));
  }

  #retryLater({ kind, reason }: StartFailure): void {
    clearTimeout(this.#probe);
    const wait = backoffMs(this.#failures);
    const dueAt = Date.now() + wait;
    const timer = setTimeout(() => void this.#connect(), wait);
    timer.unref();
    this.#retry = { timer, dueAt };
    if (kind === 'unavailable') this.#setUnavailable(reason, new Date(dueAt).toISOString());
    else this.#setState({ kind, since: now(), reason: shown(reason) });
  }

  #setReady({ protocol }: Connection): void {
    this.#setState({ kind: 'ready', since: now(), protocol });
  }

  #setUnavailable(reason: string, retryAt: string | undefined): void {
    this.#setState({ kind: 'unavailable', since: now(), reason: shown(reason), retryAt });
  }

  #setState(state: UpstreamState): void {
    this.#state = state;
    this.#listener?.stateChanged(state);
  }
}

/** Wraps a fault of a call that the upstream cannot have seen: the only kind that may be sent again. */
class NotDelivered extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

function shown(reason: string): string {
  return plainLine(reason, 200);
}

function now(): string {
  return new Date().toISOString();
}
