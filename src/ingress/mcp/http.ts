import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { describeError } from '../../contract/errors/catalogue.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { type HttpRoute, sendJson } from '../listener.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import {
  type CallContext,
  MCP_SESSION_HEADER,
  PROTOCOL_VERSION_HEADER,
  type ReadHeader,
  readCallContext,
} from './call-context.ts';
import { disconnectedOrCancelled } from './cancellation.ts';
import { checkMessage, isRequestId } from './check-message.ts';
import { type PlainCall, parsePlainCall, plainResponse } from './fast-path.ts';
import { callMetaTool, type MetaToolContext } from './gateway/meta-tools.ts';
import { hasSeveralKeys } from './idempotency-key.ts';
import { type InFlightCall, InFlightCalls, isCancelledByClient } from './in-flight-calls.ts';
import { unsupportedMedia } from './media-type.ts';
import { errorMessage, type MessageLimits, parseMessage, refusalMessage } from './parse-message.ts';
import { BodyReader } from './read-body.ts';
import { callerFromSdk, handleWithSdk } from './sdk-bridge.ts';
import { createGatewayServer } from './server.ts';

export interface McpHttpOptions extends AdmissionLimits {
  readonly api: GatewayApi;
  readonly limits: MessageLimits;
  /** Whether every answer has its structured form in `structuredContent`. */
  readonly alwaysStructured: boolean;
  /** How long calls in flight may go on after `close`. */
  readonly drainTimeoutMs: number;
  readonly onError: (error: Error) => void;
}

export interface McpHttp {
  readonly route: HttpRoute;
  /** Whether calls in flight may still end, and new ones are refused. */
  readonly isDraining: () => boolean;
  /** Refuses new calls, and waits for those in flight up to the drain timeout. */
  close(): Promise<void>;
}

const SURFACES = new Set(['/mcp', '/mcp/gateway']);
/** A client that sends no version has negotiated this one, which did not have the header yet. */
const DEFAULT_VERSION = '2025-03-26';

/** Both protocol eras on one URL, without sessions: any node can answer any request. */
export function mcpOverHttp(options: McpHttpOptions): McpHttp {
  const { api, maxSubscriptions, drainTimeoutMs, alwaysStructured, onError } = options;
  const inFlight = new InFlightCalls();
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) =>
      createGatewayServer({ api, caller: callerFromSdk(authInfo), inFlight, alwaysStructured, onError }),
    { legacy: 'stateless', maxSubscriptions, onerror: onError },
  );
  const answerBySdk = handleWithSdk({ handler, onError });
  const answerMessage = createMessageHandler(options, { inFlight, answerBySdk });
  return {
    route: {
      matches: (path) => path === '/mcp' || path.startsWith('/mcp/'),
      handle(request, response, { path, caller }) {
        if (!SURFACES.has(path)) return notServed(response);
        if (request.method !== 'POST') return answerBySdk(request, response, { caller });
        const unsupported = unsupportedMedia(request.headers);
        if (unsupported !== undefined) return sendJson(response, 415, errorMessage(unsupported));
        if (hasSeveralKeys(request))
          return sendJson(response, 400, errorMessage('Send one Idempotency-Key header, not several.'));
        return answerMessage(request, response, caller);
      },
    },
    isDraining: () => inFlight.isDraining,
    async close() {
      await inFlight.drain(drainTimeoutMs);
      // Responses that are being written must reach their sockets.
      await nextTurn();
      await handler.close();
    },
  };
}

interface MessagePath {
  readonly inFlight: InFlightCalls;
  readonly answerBySdk: ReturnType<typeof handleWithSdk>;
}

/** Answers a POST: a plain call on the fast path, any other message through the SDK. Work counts once its body is there. */
function createMessageHandler(
  options: McpHttpOptions,
  { inFlight, answerBySdk }: MessagePath,
): (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void> {
  const { api, limits, alwaysStructured, onError } = options;
  const admission = new Admission(options);
  const bodies = new BodyReader(limits);
  return async (request, response, caller) => {
    try {
      const body = await bodies.read(request);
      if (!body) return busy(response, 'Too many large requests are being received.');
      const message = parseMessage(body, limits);
      // Calls in flight can still be cancelled, so notifications are accepted.
      if (inFlight.isDraining && !isNotification(message))
        return busy(response, 'The gateway is shutting down.');
      const header = headersOf(request);
      const plain = parsePlainCall(header, message);
      if (plain) {
        const refused = admission.refuseCall(plain.name, response);
        if (refused !== undefined) return busy(response, refused);
        const context = { ...readCallContext(caller, plain.meta, header), alwaysStructured, onError };
        const call = inFlight.begin(header(MCP_SESSION_HEADER), plain.id);
        return await callOnFastPath(api, plain, { context, call, response });
      }
      const invalid = checkMessage(message, header(PROTOCOL_VERSION_HEADER) ?? DEFAULT_VERSION);
      if (invalid) return sendJson(response, invalid.id === null ? 400 : 200, invalid);
      const refused = admission.refuseMessage(message, response);
      if (refused !== undefined) return busy(response, refused);
      cancelNamedRequest(message, header(MCP_SESSION_HEADER), inFlight);
      answerBySdk(request, response, { caller, message });
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      sendJson(response, describeError(thrown.code, thrown.variant).httpStatus, refusalMessage(thrown));
    }
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
  plain: PlainCall,
  { context, call, response }: FastPathCall,
): Promise<void> {
  try {
    const signal = disconnectedOrCancelled(response, call.signal);
    const result = await callMetaTool(api, plain, { ...context, signal, cancelled: call.signal });
    if (isCancelledByClient(call)) endEmpty(response);
    else sendJson(response, 200, plainResponse(plain, result));
  } finally {
    call.end();
  }
}

/** A cancelled call is not answered: the response is a stream without a message. */
function endEmpty(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
}

function cancelNamedRequest(message: unknown, session: string | undefined, inFlight: InFlightCalls): void {
  if (session === undefined) return;
  for (const one of Array.isArray(message) ? message : [message]) {
    if (!isJsonObject(one) || one.method !== 'notifications/cancelled' || !isJsonObject(one.params)) continue;
    const { requestId, reason } = one.params;
    if (isRequestId(requestId)) inFlight.cancel(session, requestId, reason);
  }
}

function isNotification(message: unknown): boolean {
  return isJsonObject(message) && !('id' in message);
}

function headersOf({ headers }: IncomingMessage): ReadHeader {
  // Only Set-Cookie is a list, and it is not a request header.
  return (name) => headers[name] as string | undefined;
}

function busy(response: ServerResponse, reason: string): void {
  sendJson(response, 503, errorMessage(`${reason} Try again in a moment.`), { 'retry-after': '1' });
}

function notServed(response: ServerResponse): void {
  sendJson(response, 404, errorMessage('This surface is not served here. Use /mcp or /mcp/gateway.'));
}
