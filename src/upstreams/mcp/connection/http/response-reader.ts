import { SdkError, SdkErrorCode, SdkHttpError, type Transport } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import { isJsonObject, type JsonObject } from '../../../../base/json/json.ts';
import { mediaTypeNamed } from '../../../../base/text/media-type.ts';
import type { JsonRpcRequest, JsonRpcResponse } from '../json-rpc.ts';
import { type BodySink, type Decoder, openDecoder, WholeBody } from './body.ts';
import { EventStream } from './event-stream.ts';
import { type LargeAnswers, type Pausable, SMALL_ANSWER_BYTES } from './large-answers.ts';
import { readRetryAfter } from './retry-after.ts';

export type SdkMessage = Parameters<NonNullable<Transport['onmessage']>>[0];

export interface ReaderOptions {
  readonly request: JsonRpcRequest;
  readonly maxAnswerBytes: number;
  readonly largeAnswers: LargeAnswers;
  readonly signal: AbortSignal | undefined;
  /** Runs before the connection of an aborted request is closed. */
  readonly onAbort: (() => Promise<void>) | undefined;
  /** Takes a message that the request handles itself, such as its progress. */
  readonly takeMessage: ((message: JsonObject) => boolean) | undefined;
  /** Every other message that precedes the response, unchecked. */
  readonly onMessage: (message: SdkMessage) => void;
}

/** How an HTTP response ended: with the JSON-RPC response, with a redirect, or as a stream that broke before it. */
export type ResponseEnd =
  | { readonly kind: 'answered'; readonly response: JsonRpcResponse }
  | { readonly kind: 'redirected'; readonly location: string; readonly error: SdkHttpError }
  | {
      readonly kind: 'interrupted';
      readonly error: unknown;
      readonly lastEventId: string | undefined;
      readonly retryMs: number | undefined;
    };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const MAX_ERROR_BYTES = 65_536;
/** A server closes the stream after its response. One that does not would occupy the connection for ever. */
const STREAM_CLOSE_TIMEOUT_MS = 1_000;

/** Reads one HTTP response to a JSON-RPC request: a JSON body, or an event stream whose messages are passed on as they come. */
export class ResponseReader implements Dispatcher.DispatchHandler, Pausable {
  readonly ended: Promise<ResponseEnd>;
  readonly #options: ReaderOptions;
  readonly #resolve: (end: ResponseEnd) => void;
  readonly #reject: (error: unknown) => void;
  readonly #abort = (): void => this.#onSignal();
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodySink | undefined;
  #decoder: Decoder | undefined;
  #events: EventStream | undefined;
  #isSettled = false;
  #isLarge = false;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseEnd>();
    this.#options = options;
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was aborted while it waited for a connection.
    if (this.#isSettled) controller.abort(new Error('aborted before it was sent'));
  }

  onResponseStart(_: unknown, status: number, headers: Headers, statusText?: string): void {
    if (this.#isSettled) return;
    const sink = this.#sinkFor(status, headers, statusText);
    if (!sink) return;
    this.#body = sink;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') this.#decode(String(encoding).toLowerCase(), sink);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isSettled) return;
    try {
      if (this.#decoder) this.#decoder.push(chunk);
      else this.#receive(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  pause(): void {
    this.#controller?.pause();
    this.#decoder?.pause();
  }

  resume(): void {
    this.#decoder?.resume();
    // Not at once: this is called while another response is being parsed, and undici has one parser at work at a time.
    setImmediate(() => this.#controller?.resume());
  }

  onResponseEnd(): void {
    clearTimeout(this.#closeTimer);
    if (this.#isSettled) return;
    try {
      (this.#decoder ?? this.#body)?.end();
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseError(_: unknown, error: Error): void {
    clearTimeout(this.#closeTimer);
    if (this.#events) this.#interrupted(error);
    else this.#fail(error);
  }

  #sinkFor(status: number, headers: Headers, statusText: string | undefined): BodySink | undefined {
    if (status < 200 || status > 299) return this.#errorSink(status, headers, statusText);
    const type = mediaTypeNamed(headers['content-type']);
    if (type === 'application/json') {
      const { maxAnswerBytes } = this.#options;
      return new WholeBody({ maxBytes: maxAnswerBytes, onBody: (text) => this.#readJson(text) });
    }
    if (type === 'text/event-stream') return this.#eventSink();
    this.#fail(unexpected(`content type ${headers['content-type']}`));
    return undefined;
  }

  #eventSink(): BodySink {
    const events = new EventStream({
      maxEventBytes: this.#options.maxAnswerBytes,
      onEvent: ({ name, data }) => {
        if (name === '' || name === 'message') this.#take(JSON.parse(data));
      },
    });
    this.#events = events;
    return {
      get bufferedBytes() {
        return events.bufferedBytes;
      },
      push: (chunk) => events.push(chunk),
      end: () => this.#interrupted(streamEnded()),
    };
  }

  /** Collects the text of a refusal. Only the log shows it, so a long one is cut. */
  #errorSink(status: number, headers: Headers, statusText = ''): BodySink {
    const parts: Buffer[] = [];
    let bytes = 0;
    return {
      bufferedBytes: 0,
      push: (chunk) => {
        if (bytes < MAX_ERROR_BYTES) parts.push(chunk);
        bytes += chunk.length;
      },
      end: () => {
        const text = Buffer.concat(parts).toString('utf8');
        if (status === 400 && this.#isProtocolError(text)) return;
        const retryAfterMs = readRetryAfter(headers['retry-after']);
        const error = new SdkHttpError(
          SdkErrorCode.ClientHttpNotImplemented,
          `The server answered with HTTP status ${status}: ${text}`,
          { status, statusText, text, ...(retryAfterMs !== undefined && { retryAfterMs }) },
        );
        const { location } = headers;
        if ((status === 307 || status === 308) && typeof location === 'string')
          this.#settle({ kind: 'redirected', location, error });
        else this.#fail(error);
      },
    };
  }

  /** A server of the 2026 era sends some JSON-RPC errors with status 400. */
  #isProtocolError(text: string): boolean {
    const { request } = this.#options;
    try {
      const message: unknown = JSON.parse(text);
      if (!isJsonObject(message) || !isJsonObject(message.error) || message.id !== request.id) return false;
      this.#settle({ kind: 'answered', response: message });
      return true;
    } catch {
      return false;
    }
  }

  #decode(encoding: string, sink: BodySink): void {
    this.#decoder = openDecoder({
      encoding,
      maxBytes: this.#options.maxAnswerBytes,
      onData: (chunk) => this.#receive(chunk),
      onEnd: () => sink.end(),
      onError: (error) => this.#fail(error),
    });
    if (!this.#decoder) this.#fail(unexpected(`content encoding ${encoding}`));
  }

  #receive(chunk: Buffer): void {
    this.#body?.push(chunk);
    this.#noteSize();
  }

  #readJson(text: string): void {
    const answer: unknown = JSON.parse(text);
    for (const message of Array.isArray(answer) ? answer : [answer]) this.#take(message);
    if (!this.#isSettled) this.#fail(notAnswered());
  }

  #take(message: unknown): void {
    const { takeMessage, onMessage } = this.#options;
    if (isJsonObject(message) && 'method' in message) {
      if (!takeMessage?.(message)) onMessage(message as unknown as SdkMessage);
    } else if (this.#isResponse(message)) {
      this.#settle({ kind: 'answered', response: message });
      if (this.#events) this.#closeTimer = setTimeout(() => this.#close(), STREAM_CLOSE_TIMEOUT_MS).unref();
    } else this.#fail(notAnswered());
  }

  /** Some servers name no request in an error, and some turn its number into a string. */
  #isResponse(message: unknown): message is JsonRpcResponse {
    if (!isJsonObject(message)) return false;
    const { id, result, error } = message;
    if (result === undefined && error === undefined) return false;
    return String(id) === String(this.#options.request.id) || (id == null && error !== undefined);
  }

  #noteSize(): void {
    const isLarge = !this.#isSettled && (this.#body?.bufferedBytes ?? 0) > SMALL_ANSWER_BYTES;
    if (isLarge === this.#isLarge) return;
    this.#isLarge = isLarge;
    const { largeAnswers } = this.#options;
    if (isLarge) largeAnswers.begin(this);
    else largeAnswers.end(this);
  }

  #onSignal(): void {
    const { signal, onAbort } = this.#options;
    if (this.#isSettled) return;
    this.#unsubscribe();
    this.#reject(signal?.reason);
    if (onAbort) void onAbort().finally(() => this.#close());
    else this.#close();
  }

  #interrupted(error: unknown): void {
    const { lastEventId, retryMs } = this.#events!;
    this.#settle({ kind: 'interrupted', error, lastEventId, retryMs });
  }

  #settle(end: ResponseEnd): void {
    if (this.#isSettled) return;
    this.#unsubscribe();
    this.#resolve(end);
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#unsubscribe();
    this.#reject(error);
    this.#close();
  }

  #unsubscribe(): void {
    this.#isSettled = true;
    this.#noteSize();
    this.#options.signal?.removeEventListener('abort', this.#abort);
  }

  #close(): void {
    this.#controller?.abort(new Error('the rest of the response is not needed'));
  }
}

function notAnswered(): SdkError {
  return unexpected('message in place of the response');
}

function unexpected(what: string): SdkError {
  return new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected ${what}`);
}

function streamEnded(): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, 'The stream ended without a response');
}
