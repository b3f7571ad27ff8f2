/** An HTTP upstream whose answers are far too large. It writes them as they are read, and needs little memory itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export const MEGABYTE = 1_048_576;
const INPUT_SCHEMA = {
  type: 'object',
  properties: { form: { type: 'string' }, megabytes: { type: 'integer' } },
};
const PIECE = 'x'.repeat(MEGABYTE);

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly form?: string; readonly megabytes?: number } };
}

/** Writes an answer whose result has a text of this many megabytes. */
type Answer = (response: ServerResponse, id: number, megabytes: number) => Promise<void>;

const FORMS: Readonly<Record<string, Answer>> = {
  json: (response, id, megabytes) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    return pipeline(Readable.from(pieces(id, megabytes)), response);
  },
  gzip: (response, id, megabytes) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    return pipeline(Readable.from(pieces(id, megabytes)), createGzip({ level: 1 }), response);
  },
  stuck: async (response, id, megabytes) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(pieces(id, megabytes)), response, { end: false });
  },
  event: (response, id, megabytes) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return pipeline(Readable.from(inEvent(pieces(id, megabytes))), response);
  },
};

function* pieces(id: number, megabytes: number): Generator<string> {
  yield `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`;
  for (let sent = 0; sent < megabytes; sent++) yield PIECE;
  yield '"}]}}';
}

function* inEvent(data: Iterable<string>): Generator<string> {
  yield 'data: ';
  yield* data;
  yield '\n\n';
}

/** How a tool list has no end: as one body, or as pages. */
export type EndlessList = 'body' | 'pages';

export interface HostileUpstream {
  readonly url: string;
  stop(): void;
}

export async function startHostile(endlessList?: EndlessList): Promise<HostileUpstream> {
  let pages = 0;
  const list = async (response: ServerResponse, id: number): Promise<void> => {
    if (endlessList === 'body') return FORMS.json!(response, id, Number.POSITIVE_INFINITY);
    const name = endlessList ? `tool-${pages++}` : 'large';
    const description = endlessList ? PIECE : 'Answers with many bytes.';
    const more = endlessList && { nextCursor: String(pages) };
    sendResult(response, id, { tools: [{ name, description, inputSchema: INPUT_SCHEMA }], ...more });
  };
  const server = createServer(async (request, response) => {
    // The gateway closes a connection whose answer it does not want.
    await answer(request, response, list).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, stop };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  list: (response: ServerResponse, id: number) => Promise<void>,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(await readAll(request)) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/list') return list(response, id);
  if (method === 'tools/call') {
    const { form = 'json', megabytes = 0 } = params?.arguments ?? {};
    return FORMS[form]!(response, id, megabytes);
  }
  const serverInfo = { name: 'hostile', version: '1.0.0' };
  const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  return sendResult(response, id, method === 'initialize' ? initialized : {});
}

function sendResult(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
