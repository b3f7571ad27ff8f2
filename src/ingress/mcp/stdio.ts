import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isJsonObject } from '../../base/json/json.ts';
import { createCaller } from '../../contract/call/caller.ts';
import type { Principal } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { checkMessage, isRequestId } from './check-message.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { type MessageLimits, parseMessage, refusalMessage, tooLarge } from './parse-message.ts';
import { createGatewayServer } from './server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface StdioOptions {
  readonly api: GatewayApi;
  /** The user who started this process; messages carry no identity. */
  readonly principal: Principal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly limits: MessageLimits;
  /** Whether every answer has its structured form in `structuredContent`. */
  readonly alwaysStructured: boolean;
  /** How long calls in flight may go on after the end of the input, and after `close`. */
  readonly drainTimeoutMs: number;
  readonly onError: (error: Error) => void;
}

export interface StdioServing {
  /** Resolves when the client has closed its end and the calls in flight are answered. */
  readonly ended: Promise<void>;
  /** Refuses new calls, and waits for those in flight up to the drain timeout. */
  close(): Promise<void>;
}

/** Serves both protocol eras on standard streams. The first message decides which one. */
export function serveOnStdio(options: StdioOptions): StdioServing {
  const { api, principal, stdin, stdout, limits, alwaysStructured, drainTimeoutMs, onError } = options;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const inFlight = new InFlightCalls();
  const guarded = new GuardedLines(limits, {
    accept: (message) => acceptMessage(message, transport),
    refuse: (answer) => stdout.write(`${JSON.stringify(answer)}\n`),
    beforeEnd: async () => {
      // The last message may not have reached its handler yet.
      await pause(DISPATCH_MS);
      await inFlight.drain(drainTimeoutMs);
      resolve();
    },
  });
  stdin.pipe(guarded);
  stdin.once('close', () => guarded.end());
  const transport = new StdioTransport(guarded, stdout, { maxBufferSize: limits.maxBytes * 2 });
  const serving = serveStdio(
    () =>
      createGatewayServer({
        api,
        caller: createCaller(principal, { transport: 'stdio' }),
        inFlight,
        alwaysStructured,
        onError,
      }),
    { transport, onerror: onError },
  );
  return {
    ended,
    close: async () => {
      await inFlight.drain(drainTimeoutMs);
      await serving.close();
    },
  };
}

const DISPATCH_MS = 20;

/** Returns an answer where a message is refused, and the messages of a batch, which the SDK takes one by one. */
function acceptMessage(message: unknown, transport: StdioTransport): Accepted {
  const refusal = checkMessage(message, transport.protocolVersion ?? LATEST_PROTOCOL_VERSION);
  if (refusal) return { refusal };
  const batch: readonly unknown[] | undefined = Array.isArray(message) ? message : undefined;
  if (batch) transport.openBatch(batch);
  for (const one of batch ?? [message]) {
    if (!isJsonObject(one) || one.method !== 'notifications/cancelled' || !isJsonObject(one.params)) continue;
    if (isRequestId(one.params.requestId)) transport.cancelInBatch(one.params.requestId);
  }
  return { batch };
}

const NEWLINE = 0x0a;

interface Accepted {
  readonly refusal?: object;
  readonly batch?: readonly unknown[] | undefined;
}

interface LineHandler {
  accept(message: unknown): Accepted;
  refuse(answer: object): void;
  /** The end of the input is passed on after this resolves. */
  beforeEnd(): Promise<void>;
}

/** Passes on whole lines that can be parsed, and refuses the others. */
class GuardedLines extends Transform {
  readonly #limits: MessageLimits;
  readonly #handler: LineHandler;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(limits: MessageLimits, handler: LineHandler) {
    super();
    this.#limits = limits;
    this.#handler = handler;
  }

  override _flush(done: TransformCallback): void {
    this.#handler.beforeEnd().then(() => done(), done);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, at + 1));
      this.#passLine();
      start = at + 1;
    }
    this.#append(chunk.subarray(start));
    done();
  }

  /** Keeps only the length of a line that is too long. */
  #append(part: Buffer): void {
    this.#pendingBytes += part.length;
    if (this.#pendingBytes <= this.#limits.maxBytes) this.#pending.push(part);
    else this.#pending = [];
  }

  #passLine(): void {
    const line = Buffer.concat(this.#pending);
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (bytes <= this.#limits.maxBytes && line.toString('latin1').trim() === '') return;
    try {
      if (bytes > this.#limits.maxBytes) throw tooLarge(this.#limits);
      const { refusal, batch } = this.#handler.accept(parseMessage(line, this.#limits));
      if (refusal) this.#handler.refuse(refusal);
      else if (batch) for (const message of batch) this.push(`${JSON.stringify(message)}\n`);
      else this.push(line);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      this.#handler.refuse(refusalMessage(thrown));
    }
  }
}
