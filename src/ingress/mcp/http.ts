import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { formsOf } from '../../contract/error-catalogue.ts';
import { Fault } from '../../contract/errors.ts';
import { isJsonObject } from '../../contract/json.ts';
import type { Principal } from '../../contract/principal.ts';
import { contextIn } from './call-context.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { firstOf } from './cancellation.ts';
import { type House, serveVerb } from './gateway/surface.ts';
import { type MessageLimits, parseMessage, refusalMessage, tooLarge } from './message-guard.ts';
import { type PlainCall, plainCallIn } from './plain-call.ts';
import { type GatewayServerOptions, gatewayServer, SESSION_HEADER } from './server.ts';

export interface McpHttpOptions {
  readonly house: House;
  /** Whoever can reach this wire: identity comes with the listener, not with the message. */
  readonly principal: Principal;
  readonly limits: MessageLimits;
  readonly maxInFlight: number;
  readonly onError: (error: Error) => void;
}

export interface McpHttp {
  readonly routes: Hono;
  /** Takes no more calls, and lets those under way finish for a while. */
  close(): Promise<void>;
}

const CLOSING_PATIENCE_MS = 10_000;

/** Both eras on one URL, without sessions: any node can answer any request. */
export function mcpOverHttp({ house, principal, limits, maxInFlight, onError }: McpHttpOptions): McpHttp {
  const underWay = new CallsUnderWay();
  const door: GatewayServerOptions = { house, principal, underWay, onError };
  const handler: McpHttpHandler = createMcpHandler(() => gatewayServer(door), {
    legacy: 'stateless',
    onerror: onError,
  });
  let requests = 0;
  let closing = false;
  const serve = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return handler.fetch(request);
    if (closing) return busy('The gateway is closing.');
    // An answer that is a stream outlives its request, so both are counted.
    if (Math.max(requests, underWay.count) >= maxInFlight) return busy('The gateway is full.');
    requests++;
    try {
      const parsedBody = parseMessage(await readBody(request, limits), limits);
      const plain = plainCallIn(request, parsedBody);
      if (plain) return await answerPlainly(door, plain, request);
      cancelWhatItNames(parsedBody, request.headers.get(SESSION_HEADER), underWay);
      return marked(await handler.fetch(request, { parsedBody }), parsedBody);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const { httpStatus } = formsOf(thrown.code, thrown.variant);
      return Response.json(refusalMessage(thrown), { status: httpStatus });
    } finally {
      requests--;
    }
  };
  const routes = new Hono()
    .all('/mcp', (context) => serve(context.req.raw))
    .all('/mcp/gateway', (context) => serve(context.req.raw))
    // No parameter: beside `/mcp/gateway` it would cost every request Hono's faster router.
    .all('/mcp/*', (context) =>
      context.json(errorMessage('This surface is not served here. Use /mcp or /mcp/gateway.'), 404),
    );
  return {
    routes,
    async close() {
      closing = true;
      await underWay.ended(CLOSING_PATIENCE_MS);
      underWay.cancelAll();
      // The answers are on their way to the sockets.
      await nextTurn();
      await handler.close();
    },
  };
}

/** One message in, one message out: no server, no transport, no stream. */
async function answerPlainly(
  { house, principal, underWay, onError }: GatewayServerOptions,
  { id, name, args, meta }: PlainCall,
  request: Request,
): Promise<Response> {
  const call = underWay.begin(request.headers.get(SESSION_HEADER), id);
  try {
    const result = await serveVerb(
      house,
      { name, args },
      {
        principal,
        ...contextIn(meta, request.headers),
        signal: firstOf([request.signal, call.signal]),
        cancelled: call.signal,
        onError,
      },
    );
    return Response.json({ jsonrpc: '2.0', id, result });
  } finally {
    call.end();
  }
}

/** Gives a client of the older era the mark by which its cancellations are told from those of others. */
function marked(response: Response, message: unknown): Response {
  const isGreeting = isJsonObject(message) && message.method === 'initialize';
  if (isGreeting && response.ok) response.headers.set(SESSION_HEADER, randomUUID());
  return response;
}

function cancelWhatItNames(message: unknown, session: string | null, underWay: CallsUnderWay): void {
  if (session === null) return;
  for (const one of Array.isArray(message) ? message : [message]) {
    if (!isJsonObject(one) || one.method !== 'notifications/cancelled' || !isJsonObject(one.params)) continue;
    const { requestId } = one.params;
    if (typeof requestId === 'string' || typeof requestId === 'number') underWay.cancel(session, requestId);
  }
}

async function readBody(request: Request, limits: MessageLimits): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > limits.maxBytes) throw tooLarge(limits);
  if (announced !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > limits.maxBytes) throw tooLarge(limits);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function busy(why: string): Response {
  return Response.json(errorMessage(`${why} Try again in a moment.`), {
    status: 503,
    headers: { 'retry-after': '1' },
  });
}

function errorMessage(message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
}
