import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { type HttpRoute, sendJson } from '../listener.ts';
import { type CallContext, MCP_SESSION_HEADER, type ReadHeader, readCallContext } from './call-context.ts';
import { disconnectedOrCancelled } from './cancellation.ts';
import { type PlainCall, parsePlainCall } from './fast-path.ts';
import { callMetaTool, type MetaToolContext } from './gateway/meta-tools.ts';
import { type InFlightCall, InFlightCalls } from './in-flight-calls.ts';
import { errorMessage, type MessageLimits, parseMessage, refusalMessage, tooLarge } from './parse-message.ts';
import { callerFromSdk, handleWithSdk } from './sdk-bridge.ts';
import { createGatewayServer } from './server.ts';

export interface McpHttpOptions {
  readonly api: GatewayApi;
  readonly limits: MessageLimits;
  readonly maxInFlight: number;
  /** Whether every answer has its structured form in `structuredContent`. */
  readonly alwaysStructured: boolean;
  readonly onError: (error: Error) => void;
}

export interface McpHttp {
  readonly route: HttpRoute;
  /** Refuses new calls, and waits for those in flight up to a timeout. */
  close(): Promise<void>;
}

const SURFACES = new Set(['/mcp', '/mcp/gateway']);
const CLOSE_TIMEOUT_MS = 10_000;

/** Both protocol eras on one URL, without sessions: any node can answer any request. */
export function mcpOverHttp(options: McpHttpOptions): McpHttp {
  const { api, limits, maxInFlight, alwaysStructured, onError } = options;
  const inFlight = new InFlightCalls();
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) =>
      createGatewayServer({ api, caller: callerFromSdk(authInfo), inFlight, alwaysStructured, onError }),
    { legacy: 'stateless', onerror: onError },
  );
  let requests = 0;
  let closing = false;
  const counted = async <Answer>(handle: () => Promise<Answer>): Promise<Answer> => {
    requests++;
    try {
      return await handle();
    } finally {
      requests--;
    }
  };
  const answerBySdk = handleWithSdk({ handler, counted, onError });

  const answerMessage = async (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> => {
    try {
      const message = parseMessage(await readBody(request, limits), limits);
      const header = headersOf(request);
      const plain = parsePlainCall(header, message);
      if (plain) {
        const context = { ...readCallContext(caller, plain.meta, header), alwaysStructured, onError };
        const call = inFlight.begin(header(MCP_SESSION_HEADER), plain.id);
        return sendJson(response, 200, await callOnFastPath(api, plain, { context, call, response }));
      }
      cancelNamedRequest(message, header(MCP_SESSION_HEADER), inFlight);
      answerBySdk(request, response, { caller, message });
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      sendJson(response, describeError(thrown.code, thrown.variant).httpStatus, refusalMessage(thrown));
    }
  };
  return {
    route: {
      matches: (path) => path === '/mcp' || path.startsWith('/mcp/'),
      handle(request, response, { path, caller }) {
        if (!SURFACES.has(path)) return notServed(response);
        if (request.method !== 'POST') return answerBySdk(request, response, { caller });
        if (closing) return busy(response, 'The gateway is shutting down.');
        // A streamed response outlives its request, so both are counted.
        if (Math.max(requests, inFlight.count) >= maxInFlight)
          return busy(response, 'Too many requests are in flight.');
        return counted(() => answerMessage(request, response, caller));
      },
    },
    async close() {
      closing = true;
      await inFlight.waitUntilIdle(CLOSE_TIMEOUT_MS);
      inFlight.cancelAll();
      // Responses that are being written must reach their sockets.
      await nextTurn();
      await handler.close();
    },
  };
}

interface FastPathCall {
  readonly context: Pick<MetaToolContext, keyof CallContext | 'alwaysStructured' | 'onError'>;
  readonly call: InFlightCall;
  readonly response: ServerResponse;
}

/** One message in, one message out: no server, no transport, no stream. */
async function callOnFastPath(
  api: GatewayApi,
  { id, name, args }: PlainCall,
  { context, call, response }: FastPathCall,
): Promise<object> {
  try {
    const signal = disconnectedOrCancelled(response, call.signal);
    const result = await callMetaTool(api, { name, args }, { ...context, signal, cancelled: call.signal });
    return { jsonrpc: '2.0', id, result };
  } finally {
    call.end();
  }
}

function cancelNamedRequest(message: unknown, session: string | undefined, inFlight: InFlightCalls): void {
  if (session === undefined) return;
  for (const one of Array.isArray(message) ? message : [message]) {
    if (!isJsonObject(one) || one.method !== 'notifications/cancelled' || !isJsonObject(one.params)) continue;
    const { requestId } = one.params;
    if (typeof requestId === 'string' || typeof requestId === 'number') inFlight.cancel(session, requestId);
  }
}

function headersOf({ headers }: IncomingMessage): ReadHeader {
  // Only Set-Cookie is a list, and it is not a request header.
  return (name) => headers[name] as string | undefined;
}

/** Rejects a body that is too large, and one whose client disconnects while sending it. */
async function readBody(request: IncomingMessage, limits: MessageLimits): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.byteLength;
    if (length <= limits.maxBytes) return chunks.push(chunk);
    // The rest is read and dropped: a client may read its response only after it has sent everything.
    chunks.length = 0;
    reject(tooLarge(limits));
  });
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  request.on('error', reject);
  return promise;
}

function busy(response: ServerResponse, reason: string): void {
  sendJson(response, 503, errorMessage(`${reason} Try again in a moment.`), { 'retry-after': '1' });
}

function notServed(response: ServerResponse): void {
  sendJson(response, 404, errorMessage('This surface is not served here. Use /mcp or /mcp/gateway.'));
}
