/** An MCP server over HTTP that responds with the bytes of the test, valid MCP or not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostileUpstream {
  readonly url: string;
  /** The arguments of every received call, by the name of the tool. */
  readonly calls: ReadonlyMap<string, readonly unknown[]>;
  close(): Promise<void>;
}

/** The result of each tool, as the JSON of a `tools/call` result. */
export type Answers = Readonly<Record<string, () => string>>;

/** Tools and results are passed as JSON text, because some are nested too deep for JSON.stringify. */
export async function openHostileUpstream(
  tools: readonly string[],
  answers: Answers,
): Promise<HostileUpstream> {
  const calls = new Map<string, unknown[]>();
  const resultOf = (method: string, params: Record<string, unknown>): string | undefined => {
    if (method === 'initialize') {
      const serverInfo = { name: 'hostile', version: '1' };
      return JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
    }
    if (method === 'tools/list') return `{"tools":[${tools.join(',')}]}`;
    if (method !== 'tools/call') return undefined;
    const name = String(params.name);
    calls.set(name, [...(calls.get(name) ?? []), params.arguments]);
    return Object.hasOwn(answers, name) ? answers[name]!() : '{"content":[{"type":"text","text":"done"}]}';
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await bodyOf(request)) as Record<string, unknown>;
    if (id === undefined) return void response.writeHead(202).end();
    const result = resultOf(String(method), (params ?? {}) as Record<string, unknown>);
    const member =
      result === undefined ? '"error":{"code":-32601,"message":"no such method"}' : `"result":${result}`;
    respond(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function respond(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}
