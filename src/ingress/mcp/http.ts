import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.ts';
import type { Principal } from '../../contract/call/principal.ts';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { type HttpRoute, sendJson } from '../listener.ts';
import { type ReadHeader, readCallContext } from './call-context.ts';
import { disconnectedOrCancelled } from './cancellation.ts';
import { type PlainCall, parsePlainCall } from './fast-path.ts';
import { callMetaTool } from './gateway/meta-tools.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { errorMessage, type MessageLimits, parseMessage, refusalMessage, tooLarge } from './parse-message.ts';
import { handleWithSdk } from './sdk-bridge.ts';
import { createGatewayServer, type GatewayServerOptions, MCP_SESSION_HEADER } from './server.ts';

export interface McpHttpOptions {
  readonly api: GatewayApi;
  /** Whoever can reach this wire: identity comes with the listener, not with the message. */
  readonly principal: Principal;
  readonly limits: MessageLimits;
  readonly maxInFlight: number;
  readonly onError: (error: Error) => void;
}

export interface McpHttp {
  readonly route: HttpRoute;
  /** Takes no more calls, and lets those under way finish for a while. */
  close(): Promise<void>;
}

const SURFACES = new Set(['/mcp', '/mcp/gateway']);
const CLOSING_PATIENCE_MS = 10_000;

/** Both eras on one URL, without sessions: any node can answer any request. */
export function mcpOverHttp({ api, principal, limits, maxInFlight, onError }: McpHttpOptions): McpHttp {
  const inFlight = new InFlightCalls();
  const room: GatewayServerOptions = { api, principal, inFlight, onError };
  const handler: McpHttpHandler = createMcpHandler(() => createGatewayServer(room), {
    legacy: 'stateless',
    onerror: onError,
  });
  let requests = 0;
  let closing = false;
  const counted = async <Answer>(answering: () => Promise<Answer>): Promise<Answer> => {
    requests++;
    try {
      return await answering();
    } finally {
      requests--;
    }
  };
  const answerBySdk = handleWithSdk({ handler, counted, onError });

  const answerMessage = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const message = parseMessage(await readBody(request, limits), limits);
      const header = headersOf(request);
      const plain = parsePlainCall(header, message);
      if (plain) return sendJson(response, 200, await callOnFastPath(room, plain, header, response));
      cancelNamedRequest(message, header(MCP_SESSION_HEADER), inFlight);
      answerBySdk(request, response, message);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      sendJson(response, describeError(thrown.code, thrown.variant).httpStatus, refusalMessage(thrown));
    }
  };
  return {
    route: {
      matches: (path) => path === '/mcp' || path.startsWith('/mcp/'),
      handle(request, response, path) {
        if (!SURFACES.has(path)) return notServed(response);
        if (request.method !== 'POST') return answerBySdk(request, response);
        if (closing) return busy(response, 'The gateway is closing.');
        // An answer that is a stream outlives its request, so both are counted.
        if (Math.max(requests, inFlight.count) >= maxInFlight) return busy(response, 'The gateway is full.');
        return counted(() => answerMessage(request, response));
      },
    },
    async close() {
      closing = true;
      await inFlight.waitUntilIdle(CLOSING_PATIENCE_MS);
      inFlight.cancelAll();
      // The answers are on their way to the sockets.
      await nextTurn();
      await handler.close();
    },
  };
}

/** One message in, one message out: no server, no transport, no stream. */
async function callOnFastPath(
  { api, principal, inFlight, onError }: GatewayServerOptions,
  { id, name, args, meta }: PlainCall,
  header: ReadHeader,
  response: ServerResponse,
): Promise<object> {
  const call = inFlight.begin(header(MCP_SESSION_HEADER), id);
  try {
    const result = await callMetaTool(
      api,
      { name, args },
      {
        principal,
        signal: disconnectedOrCancelled(response, call.signal),
        cancelled: call.signal,
        onError,
        ...readCallContext(meta, header),
      },
    );
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
  // Only Set-Cookie comes as a list, and nobody reads it.
  return (name) => headers[name] as string | undefined;
}

/** Rejects where it is too much, and where the caller goes away in the middle of it. */
async function readBody(request: IncomingMessage, limits: MessageLimits): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.byteLength;
    if (length <= limits.maxBytes) return chunks.push(chunk);
    // The rest is read and not kept: a caller may not hear its answer before it has said everything.
    chunks.length = 0;
    reject(tooLarge(limits));
  });
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  request.on('error', reject);
  return promise;
}

function busy(response: ServerResponse, why: string): void {
  sendJson(response, 503, errorMessage(`${why} Try again in a moment.`), { 'retry-after': '1' });
}

function notServed(response: ServerResponse): void {
  sendJson(response, 404, errorMessage('This surface is not served here. Use /mcp or /mcp/gateway.'));
}
