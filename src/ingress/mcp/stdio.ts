import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Fault } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import type { House } from './gateway/surface.ts';
import { type MessageLimits, parseMessage, refusalMessage, tooLarge } from './message-guard.ts';
import { gatewayServer } from './server.ts';

export interface StdioOptions {
  readonly house: House;
  /** Whoever can reach this wire: identity comes with the listener, not with the message. */
  readonly principal: Principal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly limits: MessageLimits;
  readonly onError: (error: Error) => void;
}

export interface StdioServing {
  /** Resolves when the client has closed its end. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves both protocol eras on standard streams; the opening message decides which. */
export function serveOnStdio({
  house,
  principal,
  stdin,
  stdout,
  limits,
  onError,
}: StdioOptions): StdioServing {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const guarded = stdin.pipe(
    new GuardedLines(limits, (fault) => stdout.write(`${JSON.stringify(refusalMessage(fault))}\n`)),
  );
  stdin.once('end', resolve);
  stdin.once('close', resolve);
  const transport = new StdioServerTransport(guarded, stdout, { maxBufferSize: limits.maxBytes * 2 });
  const underWay = new CallsUnderWay();
  const serving = serveStdio(() => gatewayServer({ house, principal, underWay, onError }), {
    transport,
    onerror: onError,
  });
  return { ended, close: () => serving.close() };
}

const NEWLINE = 0x0a;

/** Lets whole lines through that are fit to be parsed, and answers for those that are not. */
class GuardedLines extends Transform {
  readonly #limits: MessageLimits;
  readonly #refuse: (fault: Fault) => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(limits: MessageLimits, refuse: (fault: Fault) => void) {
    super();
    this.#limits = limits;
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, at + 1));
      this.#passLine();
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    done();
  }

  /** Of a line that is too long only its length matters any more. */
  #keep(part: Buffer): void {
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
      this.#refuse(thrown);
    }
  }
}
