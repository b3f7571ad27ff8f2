import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { MCP_SESSION_HEADER } from './call-context.ts';
import { createSessionId } from './client-info.ts';
import { errorMessage } from './parse-message.ts';

export interface SdkBridge {
  readonly handler: McpHttpHandler;
  readonly onError: (error: Error) => void;
}

/** What the SDK needs besides the HTTP request. */
export interface SdkRequest {
  readonly caller: Caller;
  /** The parsed body, where it has been read already. */
  readonly message?: unknown;
}

/** Handles a request with the SDK, which takes web requests. The caller is passed in its `authInfo`. */
export function handleWithSdk({
  handler,
  onError,
}: SdkBridge): (request: IncomingMessage, response: ServerResponse, sdkRequest: SdkRequest) => void {
  const requests = new WeakMap<object, SdkRequest>();
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const { caller, message } = requests.get(incoming)!;
      const authInfo = { token: '', clientId: '', scopes: [], extra: { caller } };
      return withSessionId(await handler.fetch(request, { parsedBody: message, authInfo }), message);
    },
    {
      errorHandler: (error) => {
        if (error instanceof RequestError) {
          return Response.json(errorMessage('The request URL is not valid.'), { status: 400 });
        }
        onError(error as Error);
        return Response.json(errorMessage('The gateway failed. See its log.'), { status: 500 });
      },
    },
  );
  return (request, response, sdkRequest) => {
    requests.set(request, sdkRequest);
    void listener(request, response);
  };
}

/** The caller that `handleWithSdk` passed to the SDK. */
export function callerFromSdk(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Caller {
  return authInfo?.extra?.caller as Caller;
}

/** A client of the 2025 era gets a session id, which distinguishes its cancellations from those of others. */
function withSessionId(response: Response, message: unknown): Response {
  if (!isJsonObject(message) || message.method !== 'initialize' || !response.ok) return response;
  const info = isJsonObject(message.params) ? message.params.clientInfo : undefined;
  response.headers.set(MCP_SESSION_HEADER, createSessionId(info));
  return response;
}
