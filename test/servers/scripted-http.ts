/** An HTTP upstream in this process whose answers to `tools/call` a test writes byte by byte. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface ReceivedCall {
  readonly id: number;
  readonly params: {
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly _meta: Record<string, unknown>;
  };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ScriptedHttp {
  readonly url: string;
  /** Every message that is no `tools/call`, and no part of the handshake. */
  readonly messages: Record<string, unknown>[];
}

export interface ScriptedOptions {
  readonly era: Era;
  readonly onCall: (call: ReceivedCall) => void;
  /** Handles a request that the handshake does not know; false passes it on. */
  readonly onRequest?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly tools?: readonly object[];
}

const SERVER = { name: 'scripted', version: '1.0.0' };
const CAPABILITIES = { tools: {} };
export const SESSION = 'session-1';

/** Tools `run` and `other`, which take any arguments. */
const TOOLS = ['run', 'other'].map((name) => ({
  name,
  description: `Test tool ${name}.`,
  inputSchema: { type: 'object', additionalProperties: true },
  annotations: { readOnlyHint: true },
}));

export async function startScripted({
  era,
  onCall,
  onRequest,
  tools = TOOLS,
}: ScriptedOptions): Promise<ScriptedHttp> {
  const messages: Record<string, unknown>[] = [];
  const results: Readonly<Record<string, () => object>> =
    era === '2026-07-28'
      ? {
          'server/discover': () => ({
            supportedVersions: [era],
            capabilities: CAPABILITIES,
            serverInfo: SERVER,
          }),
          'tools/list': () => ({ tools, ttlMs: 0, cacheScope: 'private' }),
        }
      : {
          initialize: () => ({ protocolVersion: era, capabilities: CAPABILITIES, serverInfo: SERVER }),
          'tools/list': () => ({ tools }),
          ping: () => ({}),
        };
  const server = createServer(async (request, response) => {
    if (onRequest?.(request, response)) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await readAll(request));
    const { id, method, params } = message;
    if (method === 'tools/call') return onCall({ id, params, request, response });
    const result = results[method]?.();
    if (!result && method !== 'notifications/initialized') messages.push(message);
    if (id === undefined || method === undefined) return void response.writeHead(202).end();
    const session = method === 'initialize' && { 'mcp-session-id': SESSION };
    response.writeHead(200, { 'content-type': 'application/json', ...session });
    const complete = era === '2026-07-28' && { resultType: 'complete' };
    const error = { code: -32_601, message: 'no such method' };
    const answer = result ? { result: { ...result, ...complete } } : { error };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, messages };
}

export function textResult(text: string): object {
  return { resultType: 'complete', content: [{ type: 'text', text }] };
}

export function responseTo({ id }: Pick<ReceivedCall, 'id'>, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function sendJson({ response }: ReceivedCall, body: string | Buffer, headers: object = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
}

export function openEvents({ response }: Pick<ReceivedCall, 'response'>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}
