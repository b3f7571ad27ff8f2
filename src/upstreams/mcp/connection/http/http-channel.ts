import { setTimeout as pause } from 'node:timers/promises';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Agent } from 'undici';
import type { JsonRpcRequest, JsonRpcResponse } from '../json-rpc.ts';
import { ACCEPTED_ENCODINGS } from './body.ts';
import { eraHeaders, type HttpHeaders } from './headers.ts';
import { LargeAnswers } from './large-answers.ts';
import { type ReaderOptions, type ResponseEnd, ResponseReader } from './response-reader.ts';

export interface HttpChannelOptions {
  readonly agent: Agent;
  readonly url: string;
  /** The headers of the config. */
  readonly headers: HttpHeaders;
  readonly maxAnswerBytes: number;
  /** The headers of the session, once there is one. */
  readonly sessionHeaders: () => HttpHeaders;
}

export interface ChannelRequest
  extends Pick<ReaderOptions, 'onMessage'>,
    Partial<Pick<ReaderOptions, 'signal' | 'onAbort' | 'takeMessage'>> {
  /** Headers of this request only. */
  readonly headers?: HttpHeaders | undefined;
}

type Interrupted = Extract<ResponseEnd, { kind: 'interrupted' }>;

const MAX_REDIRECTS = 5;
const MAX_RECONNECTS = 3;
const FIRST_RECONNECT_MS = 100;
const RECONNECT_GROWTH = 3;

/**
 * Sends JSON-RPC requests over Streamable HTTP and reads their answers without streams of their own: the SDK's transport
 * costs a plain call several times as much. Connections are kept alive and shared.
 */
export class HttpChannel {
  readonly #options: HttpChannelOptions;
  readonly #headers: HttpHeaders;
  readonly #largeAnswers = new LargeAnswers();
  #url: URL;

  constructor(options: HttpChannelOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#headers = {
      ...Object.fromEntries(
        Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': ACCEPTED_ENCODINGS,
    };
  }

  /** Resolves with the response as soon as it is there, and rejects when the answer ends without one. */
  async request(request: JsonRpcRequest, options: ChannelRequest): Promise<JsonRpcResponse> {
    const body = JSON.stringify(request);
    const own = { ...eraHeaders(request), ...options.headers };
    for (let redirects = 0; ; redirects++) {
      const end = await this.#dispatch({ method: 'POST', body, headers: own }, request, options);
      if (end.kind === 'answered') return end.response;
      if (end.kind === 'interrupted') return this.#resume(end, request, options);
      const target = redirectWithinOrigin(this.#url, end.location);
      if (!target || redirects === MAX_REDIRECTS) throw end.error;
      this.#url = target;
    }
  }

  #dispatch(
    { method, body, headers }: { method: 'GET' | 'POST'; body?: string; headers: HttpHeaders },
    request: JsonRpcRequest,
    { signal, onAbort, takeMessage, onMessage }: ChannelRequest,
  ): Promise<ResponseEnd> {
    const { agent, maxAnswerBytes, sessionHeaders } = this.#options;
    const reader = new ResponseReader({
      request,
      maxAnswerBytes,
      largeAnswers: this.#largeAnswers,
      signal,
      onAbort,
      takeMessage,
      onMessage,
    });
    const { origin, pathname, search } = this.#url;
    agent.dispatch(
      {
        origin,
        path: pathname + search,
        method,
        headers: { ...this.#headers, ...sessionHeaders(), ...headers },
        ...(body !== undefined && { body }),
      },
      reader,
    );
    return reader.ended;
  }

  /** Asks for the rest of a broken stream, where its server numbered the events. A stream that cannot be reopened is lost. */
  async #resume(
    broken: Interrupted,
    request: JsonRpcRequest,
    options: ChannelRequest,
  ): Promise<JsonRpcResponse> {
    let last = broken;
    for (let failures = 0; failures < MAX_RECONNECTS; ) {
      const { lastEventId, retryMs = FIRST_RECONNECT_MS * RECONNECT_GROWTH ** failures } = last;
      if (lastEventId === undefined) throw last.error;
      await this.#wait(retryMs, options);
      try {
        const headers = { 'last-event-id': lastEventId };
        const end = await this.#dispatch({ method: 'GET', headers }, request, options);
        if (end.kind === 'answered') return end.response;
        if (end.kind === 'redirected') throw end.error;
        last = { ...end, lastEventId: end.lastEventId ?? lastEventId, retryMs: end.retryMs ?? last.retryMs };
        failures = 0;
      } catch (error) {
        if (options.signal?.aborted) throw error;
        failures++;
      }
    }
    throw new SdkError(SdkErrorCode.ConnectionClosed, 'The stream broke and could not be resumed');
  }

  async #wait(ms: number, { signal, onAbort }: ChannelRequest): Promise<void> {
    await pause(ms, undefined, { ...(signal && { signal }) }).catch(() => {
      void onAbort?.();
      throw signal?.reason;
    });
  }
}

/** A redirect is followed only within the origin, or to its https form: it must not lead credentials to another server. */
function redirectWithinOrigin(from: URL, location: string): URL | undefined {
  if (!URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from);
  if (to.username || to.password) return undefined;
  const isUpgrade =
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.hostname === to.hostname &&
    from.port === '' &&
    to.port === '';
  return to.origin === from.origin || isUpgrade ? to : undefined;
}
