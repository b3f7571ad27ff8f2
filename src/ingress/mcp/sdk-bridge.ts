import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.ts';
import { errorMessage } from './parse-message.ts';
import { MCP_SESSION_HEADER } from './server.ts';

export interface SdkBridge {
  readonly handler: McpHttpHandler;
  /** Counts a request for as long as it has no answer. */
  readonly counted: (answering: () => Promise<Response>) => Promise<Response>;
  readonly onError: (error: Error) => void;
}

/** The SDK knows requests as the web has them. A message that was read already travels beside its request. */
export function handleWithSdk({
  handler,
  counted,
  onError,
}: SdkBridge): (request: IncomingMessage, response: ServerResponse, message?: unknown) => void {
  const messages = new WeakMap<object, unknown>();
  const listener = getRequestListener(
    (request, { incoming }) =>
      counted(async () => {
        const parsedBody = messages.get(incoming);
        return marked(await handler.fetch(request, { parsedBody }), parsedBody);
      }),
    {
      errorHandler: (error) => {
        if (error instanceof RequestError) {
          return Response.json(errorMessage('This is not an address of the gateway.'), { status: 400 });
        }
        onError(error as Error);
        return Response.json(errorMessage('The gateway failed. See its log.'), { status: 500 });
      },
    },
  );
  return (request, response, message) => {
    if (message !== undefined) messages.set(request, message);
    void listener(request, response);
  };
}

/** Gives a client of the older era the mark by which its cancellations are told from those of others. */
function marked(response: Response, message: unknown): Response {
  const isGreeting = isJsonObject(message) && message.method === 'initialize';
  if (isGreeting && response.ok) response.headers.set(MCP_SESSION_HEADER, randomUUID());
  return response;
}
