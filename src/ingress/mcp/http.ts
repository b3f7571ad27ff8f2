import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { Fault, formsOf } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { House } from './gateway/surface.ts';
import { type MessageLimits, parseMessage, refusalMessage, tooLarge } from './message-guard.ts';
import { gatewayServer } from './server.ts';

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
  close(): Promise<void>;
}

/** Both eras on one URL, without sessions: any node can answer any request. */
export function mcpOverHttp({ house, principal, limits, maxInFlight, onError }: McpHttpOptions): McpHttp {
  const handler: McpHttpHandler = createMcpHandler(() => gatewayServer(house, principal), {
    legacy: 'stateless',
    onerror: onError,
  });
  let inFlight = 0;
  const serve = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return handler.fetch(request);
    if (inFlight >= maxInFlight) {
      return Response.json(errorMessage('The gateway is full. Try again in a moment.'), {
        status: 503,
        headers: { 'retry-after': '1' },
      });
    }
    inFlight++;
    try {
      const parsedBody = parseMessage(await readBody(request, limits), limits);
      return await handler.fetch(request, { parsedBody });
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const status = thrown.message.includes('larger')
        ? 413
        : formsOf(thrown.code, thrown.variant).httpStatus;
      return Response.json(refusalMessage(thrown), { status });
    } finally {
      inFlight--;
    }
  };
  const routes = new Hono()
    .all('/mcp', (context) => serve(context.req.raw))
    .all('/mcp/gateway', (context) => serve(context.req.raw))
    .all('/mcp/:surface', (context) =>
      context.json(errorMessage('This surface is not served here. Use /mcp or /mcp/gateway.'), 404),
    );
  return { routes, close: () => handler.close() };
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

function errorMessage(message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
}
