import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { decideTurn, META_TOOLS, type ModelInput, type Turn } from './scripted-model.ts';

/** How one vendor's API puts a model's input and its turn into HTTP messages. */
export interface ModelApiFormat {
  readonly path: string;
  parse(body: unknown): ModelInput;
  /** The server-sent events of one turn. */
  encode(turn: Turn, turnNumber: number): readonly StreamEvent[];
}

export interface StreamEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface ModelApi {
  readonly origin: string;
  /** Every request that offered tools to the model, in order. */
  readonly inputs: readonly ModelInput[];
  close(): void;
}

/** Imitates a vendor's API on loopback. The scripted model answers every request. */
export async function startModelApi(format: ModelApiFormat, file: string): Promise<ModelApi> {
  const inputs: ModelInput[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || new URL(request.url!, 'http://localhost').pathname !== format.path) {
      // Clients also ask for lists of models, settings and token counts, and go on without them.
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const input = format.parse(await json(request));
    const isAgent = META_TOOLS.every((tool) => input.tools.includes(tool));
    if (isAgent || inputs.length === 0) inputs.push(input);
    const turn = isAgent ? decideTurn(input, file) : { text: 'The meta-tools are not among the tools.' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of format.encode(turn, inputs.length)) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, inputs, close: () => server.close() };
}

/** The texts of a result, which both APIs send as one string or as a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = content as readonly { readonly text?: string }[];
  return parts.map(({ text }) => text ?? '').join('\n');
}
