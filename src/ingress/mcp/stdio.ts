import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createCaller } from '../../contract/call/caller.ts';
import type { Principal } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { type MessageLimits, parseMessage, refusalMessage, tooLarge } from './parse-message.ts';
import { createGatewayServer } from './server.ts';

export interface StdioOptions {
  readonly api: GatewayApi;
  /** The user who started this process; messages carry no identity. */
  readonly principal: Principal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly limits: MessageLimits;
  /** Whether every answer has its structured form in `structuredContent`. */
  readonly alwaysStructured: boolean;
  readonly onError: (error: Error) => void;
}

export interface StdioServing {
  /** Resolves when the client has closed its end and the calls in flight are answered. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves both protocol eras on standard streams. The first message decides which one. */
export function serveOnStdio(options: StdioOptions): StdioServing {
  const { api, principal, stdin, stdout, limits, alwaysStructured, onError } = options;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const inFlight = new InFlightCalls();
  const guarded = new GuardedLines(limits, {
    refuse: (fault) => stdout.write(`${JSON.stringify(refusalMessage(fault))}\n`),
    beforeEnd: async () => {
      // The last message may not have reached its handler yet.
      await pause(DISPATCH_MS);
      await inFlight.waitUntilIdle(CLOSE_TIMEOUT_MS);
      resolve();
    },
  });
  stdin.pipe(guarded);
  stdin.once('close', () => guarded.end());
  const transport = new StdioServerTransport(guarded, stdout, { maxBufferSize: limits.maxBytes * 2 });
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
    close: () => {
      // A keyed call outlives its caller, but not the gateway.
      inFlight.cancelAll();
      return serving.close();
    },
  };
}

const DISPATCH_MS = 20;
/** A client may write a few calls, close its end at once and still read the answers. */
const CLOSE_TIMEOUT_MS = 10_000;

const NEWLINE = 0x0a;

interface LineAnswers {
  refuse(fault: Fault): void;
  /** The end of the input is passed on after this resolves. */
  beforeEnd(): Promise<void>;
}

/** Passes on whole lines that can be parsed, and refuses the others. */
class GuardedLines extends Transform {
  readonly #limits: MessageLimits;
  readonly #answers: LineAnswers;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(limits: MessageLimits, answers: LineAnswers) {
    super();
    this.#limits = limits;
    this.#answers = answers;
  }

  override _flush(done: TransformCallback): void {
    this.#answers.beforeEnd().then(() => done(), done);
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
      parseMessage(line, this.#limits);
      this.push(line);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      this.#answers.refuse(thrown);
    }
  }
}
