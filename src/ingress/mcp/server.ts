import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { anySignal } from '../../base/async/abort.ts';
import type { Caller } from '../../contract/call/caller.ts';
import { traceFrom } from '../../contract/call/trace.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { PRODUCT } from '../../contract/product.ts';
import { MCP_SESSION_HEADER, type ReadHeader, readCallContext } from './call-context.ts';
import { cancellationOf } from './cancellation.ts';
import { parseClientInfo } from './client-info.ts';
import { GATEWAY_TOOLS } from './gateway/definitions.ts';
import { callMetaTool, isMetaTool, type MetaToolContext } from './gateway/meta-tools.ts';
import { type InFlightCalls, isCancelledByClient } from './in-flight-calls.ts';

const INSTRUCTIONS =
  'A gateway to many tools: find one with tool_browse, then pass its tool_id and args to tool_execute. A long result is returned as a summary with handles: read its parts with tool_view, page by page.';

export interface GatewayServerOptions {
  readonly api: GatewayApi;
  readonly caller: Caller;
  readonly inFlight: InFlightCalls;
  readonly alwaysStructured: boolean;
  readonly onError: (error: Error) => void;
}

/** An MCP server for one connection or one request. The SDK implements the protocol, and the meta-tools the operations. */
export function createGatewayServer(options: GatewayServerOptions): Server {
  const { api, caller, inFlight, alwaysStructured, onError } = options;
  const server = new Server(PRODUCT, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  let active = 0;
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined) throw invalidParams('Unknown cursor. The list of tools has one page.');
    return { tools: [...GATEWAY_TOOLS] };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq, http }) => {
    if (!isMetaTool(params.name)) {
      throw invalidParams('Unknown tool. This server offers tool_browse, tool_execute and tool_view.');
    }
    const header: ReadHeader = (name) => http?.req?.headers.get(name) ?? undefined;
    const call = inFlight.begin(header(MCP_SESSION_HEADER), mcpReq.id);
    active++;
    try {
      const request = { name: params.name, args: params.arguments ?? {} };
      return await callMetaTool(api, request, {
        ...readCallContext(
          { ...withOwnTrace(caller), client: parseClientInfo(server.getClientVersion()) },
          mcpReq._meta,
          header,
        ),
        signal: anySignal([mcpReq.signal, call.signal]),
        cancelled: anySignal([cancellationOf(mcpReq.signal), call.signal]),
        alwaysStructured,
        onError,
        ...progressSender(mcpReq),
      });
    } finally {
      call.end();
      // The cancellation came in another request, so the SDK would answer the call. Other calls of a batch are answered.
      if (--active === 0 && isCancelledByClient(call)) await server.close();
    }
  });
  return server;
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** One connection or request may carry several calls. A call without a trace starts its own. */
function withOwnTrace(caller: Caller): Caller {
  return caller.trace.isNew ? { ...caller, trace: traceFrom(undefined) } : caller;
}

function progressSender({ _meta, notify }: ServerContext['mcpReq']): Pick<MetaToolContext, 'onProgress'> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress: (progress) => {
      const notification = {
        method: 'notifications/progress',
        params: { progressToken, ...progress },
      } as const;
      // A client that has disconnected must not fail its call.
      void notify(notification).catch(() => {});
    },
  };
}
