import { setTimeout as pause } from 'node:timers/promises';
import { ProtocolError } from '@modelcontextprotocol/client';
import { raceAbort } from '../../base/async/abort.ts';
import { backoffMs } from '../../base/async/backoff.ts';
import { Debouncer } from '../../base/async/debounce.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { Fault } from '../../contract/errors/fault.ts';
import {
  NotDelivered,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamListener,
  type UpstreamRequest,
  type UpstreamSession,
  type UpstreamSignals,
} from '../../contract/ports/upstream.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { callTool } from './call.ts';
import { ConnectFailed, type Connection } from './connection/connect.ts';
import type { Era, EraCache } from './connection/era-cache.ts';
import { isAlive } from './connection/liveness.ts';
import { startConnection } from './connection/start-connection.ts';
import { type StartFailure, startFailure } from './connection/start-failure.ts';
import { START_TIMEOUT_MS } from './connection/start-limits.ts';
import type { StartQueue } from './connection/start-queue.ts';
import type { McpTarget } from './connection/target.ts';
import { describeTool } from './describe.ts';
import { classify, classifyCall, unreachable, wasNeverSent } from './errors.ts';
import { listTools } from './list-tools.ts';
import { RefusalProbe } from './refusal.ts';

export interface McpUpstreamOptions {
  readonly namespace: string;
  readonly target: McpTarget;
  readonly eras: EraCache;
  readonly era: Era;
  readonly maxAnswerBytes: number;
  readonly starts: StartQueue;
  readonly startTimeoutMs: number | undefined;
  readonly probeIntervalMs: number;
}

/** A connection that lasted this long was stable: losing it later does not lengthen the backoff. */
const STABLE_MS = 10_000;
/** A server that is gone is not tried more often than this, however many calls wait for it. */
const ATTEMPT_SPACING_MS = 1_000;
/** The JSON-RPC code for headers that do not repeat the message (MCP 2026-07-28). */
const HEADER_MISMATCH = -32_020;
const LIST_CHANGES = { quietMs: 200, longestMs: 2_000 };

interface Retry {
  readonly timer: NodeJS.Timeout;
  readonly dueAt: number;
  /** Only a person can correct the failure, so a call does not bring the attempt forward. */
  readonly isFixed: boolean;
}

/** One MCP server behind a connection that is kept open. A lost connection is reopened, and calls wait for it until their deadline. */
export class McpUpstream implements Upstream {
  readonly namespace: string;
  readonly #options: McpUpstreamOptions;
  readonly #stopping = new AbortController();
  /** Closes that have begun: a process takes a while to end. */
  readonly #closing = new Set<Promise<void>>();
  readonly #relisting = new Debouncer(() => this.#refresh(), LIST_CHANGES);
  readonly #refusals = new RefusalProbe();
  #listener: UpstreamListener | undefined;
  #state: UpstreamState = { kind: 'starting', since: now() };
  #connection: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #attemptedAt = 0;
  #retry: Retry | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #probing: { readonly connection: Connection; readonly answer: Promise<void> } | undefined;
  #inFlight = 0;
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

  /** The open connection, or the one that is being opened, for as long as the signal allows. */
  async session(_caller: Caller, signal: AbortSignal): Promise<UpstreamSession> {
    if (!this.#connection) await this.#nextAttempt(signal);
    const connection = this.#connection;
    if (connection) return { callTool: (...call) => this.#callTool(connection, ...call) };
    if (signal.aborted && signal.reason instanceof Fault) throw signal.reason;
    if (this.#state.kind === 'needs_credentials') {
      const message = `Upstream ${this.namespace} needs credentials: ${this.#state.reason}`;
      throw new Fault('UPSTREAM_AUTH_FAILED', message, { effect: 'none' });
    }
    const wait = this.#retry && Math.max(this.#retry.dueAt - Date.now(), 0);
    throw unreachable(this.namespace, wait);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    clearTimeout(this.#probeTimer);
    this.#relisting.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#setState({ kind: 'stopped', since: now() });
    await Promise.all([connection?.close(), this.#attempt]);
    await Promise.all(this.#closing);
  }

  async #callTool(
    connection: Connection,
    request: UpstreamRequest,
    signals: UpstreamSignals,
  ): Promise<UpstreamAnswer> {
    const { abandonSignal } = signals;
    this.#inFlight++;
    try {
      return await callTool(connection, request, signals);
    } catch (error) {
      if (abandonSignal.aborted && abandonSignal.reason instanceof Fault) throw abandonSignal.reason;
      const fault = classifyCall(error, this.namespace);
      if (fault.code === 'TOOL_NOT_FOUND') this.#relisting.call();
      const refusal = await this.#refusals.explain(error, connection);
      if (refusal === 'denied') throw fault.with({ effect: 'none' });
      if (refusal === 'session_lost' || wasNeverSent(error)) {
        this.#lose(connection, 'the connection was lost');
        throw new NotDelivered(fault);
      }
      // Other calls may be in flight on the same connection: it is closed only when the server does not answer.
      if (fault.code === 'UPSTREAM_UNAVAILABLE') void this.#probe(connection);
      // The schema that names the headers of this tool has changed.
      if (error instanceof ProtocolError && error.code === HEADER_MISMATCH) this.#relisting.call();
      throw fault;
    } finally {
      this.#inFlight--;
    }
  }

  /** A waiting call brings the next attempt forward, so that it finds a server that has just come back. */
  async #nextAttempt(signal: AbortSignal): Promise<void> {
    if (!this.#attempt && this.#retry && !this.#retry.isFixed) {
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
    let opened: Connection | undefined;
    try {
      opened = await startConnection({
        ...this.#options,
        hasStarted: this.#connectedAt > 0,
        stopped: this.#stopping.signal,
        onToolsChanged: () => this.#relisting.call(),
        onSuspectedLoss: () => opened && void this.#probe(opened),
        onClosed: () => opened && this.#lose(opened, 'the server closed the connection'),
        onWarning: (message) => this.#listener?.warned(message),
        onClosing: (closing) => {
          this.#closing.add(closing);
          void closing.finally(() => this.#closing.delete(closing));
        },
      });
      await this.#publish(opened, opened.tools);
      if (this.#stopping.signal.aborted) return await opened.close();
      // It may have closed while a long list was published, and nothing would report that again.
      if (!opened.client.transport) throw new Error('connection closed');
      this.#connection = opened;
      this.#connectedAt = Date.now();
      this.#setReady(opened);
      this.#scheduleProbe(opened);
    } catch (thrown) {
      void opened?.close();
      this.#fail(thrown);
    }
  }

  async #publish(connection: Connection, tools: readonly unknown[]): Promise<void> {
    await this.#listener?.toolsListed(tools.map((tool) => describeTool(tool, !!connection.paramHeaders)));
  }

  /** Lists the tools again. A change notification before the connection is open waits for it. */
  async #refresh(): Promise<void> {
    await this.#attempt;
    const connection = this.#connection;
    if (!connection) return;
    try {
      const { startTimeoutMs = START_TIMEOUT_MS, maxAnswerBytes } = this.#options;
      const tools = await listTools(connection.client, AbortSignal.timeout(startTimeoutMs), maxAnswerBytes);
      if (connection !== this.#connection) return;
      connection.paramHeaders?.update(tools);
      await this.#publish(connection, tools);
    } catch {
      // The old list stays. The probe finds out whether the server is gone; the next connection brings a new list.
      await this.#probe(connection);
    }
  }

  /** Probes the server at intervals: over HTTP nothing else shows that it is gone. */
  #scheduleProbe(connection: Connection): void {
    clearTimeout(this.#probeTimer);
    this.#probeTimer = setTimeout(() => void this.#probe(connection), this.#options.probeIntervalMs);
    this.#probeTimer.unref();
  }

  /** One probe of a connection at a time: further requests share its answer. */
  #probe(connection: Connection): Promise<void> {
    if (connection !== this.#connection) return Promise.resolve();
    if (this.#probing?.connection === connection) return this.#probing.answer;
    clearTimeout(this.#probeTimer);
    const answer = this.#probeOnce(connection).finally(() => {
      if (this.#probing?.answer === answer) this.#probing = undefined;
    });
    this.#probing = { connection, answer };
    return answer;
  }

  async #probeOnce(connection: Connection): Promise<void> {
    const isServerAlive = await isAlive(connection.client);
    if (connection !== this.#connection) return;
    const isReady = this.#state.kind === 'ready';
    if (!isServerAlive && this.#inFlight === 0) return this.#lose(connection, 'the server does not answer');
    // A server that works on a call may be too busy to answer, and closing the connection would lose the call.
    if (!isServerAlive && isReady) this.#setUnavailable('the server does not answer', undefined);
    if (isServerAlive && !isReady) this.#setReady(connection);
    this.#scheduleProbe(connection);
  }

  #lose(connection: Connection, reason: string): void {
    if (connection !== this.#connection || this.#stopping.signal.aborted) return;
    this.#connection = undefined;
    void connection.close();
    if (Date.now() - this.#connectedAt >= STABLE_MS) this.#failures = 0;
    this.#retryLater({ kind: 'unavailable', reason });
    this.#failures++;
  }

  #fail(thrown: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#failures++;
    const fault = classify(thrown instanceof ConnectFailed ? thrown.cause : thrown, this.namespace);
    this.#retryLater(startFailure(fault, thrown, this.#options));
  }

  #retryLater({ kind, reason, retryAfterMs }: StartFailure): void {
    clearTimeout(this.#probeTimer);
    const wait = retryAfterMs ?? backoffMs(this.#failures);
    const dueAt = Date.now() + wait;
    const timer = setTimeout(() => void this.#connect(), wait);
    timer.unref();
    this.#retry = { timer, dueAt, isFixed: retryAfterMs !== undefined };
    if (kind === 'unavailable') this.#setUnavailable(reason, new Date(dueAt).toISOString());
    else this.#setState({ kind, since: now(), reason: displayReason(reason) });
  }

  #setReady({ protocol }: Connection): void {
    this.#setState({ kind: 'ready', since: now(), protocol });
  }

  #setUnavailable(reason: string, retryAt: string | undefined): void {
    this.#setState({ kind: 'unavailable', since: now(), reason: displayReason(reason), retryAt });
  }

  #setState(state: UpstreamState): void {
    this.#state = state;
    this.#listener?.stateChanged(state);
  }
}

function displayReason(reason: string): string {
  return plainLine(reason, 200);
}

function now(): string {
  return new Date().toISOString();
}
