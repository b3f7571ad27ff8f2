import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Principal } from '../../contract/principal.ts';
import { traceFrom } from '../../contract/trace.ts';
import { type House, isVerb, serveVerb } from './gateway/surface.ts';
import { GATEWAY_TOOLS } from './gateway/tools.ts';

const SERVER = { name: 'toolgate', version: '0.1.0' };
const INSTRUCTIONS =
  'One door to many tools: find one with tool_browse, call it with tool_execute, read long results with tool_view.';

/** An MCP server for one connection or one request: the SDK speaks the protocol, the surface does the rest. */
export function gatewayServer(house: House, principal: Principal): Server {
  const server = new Server(SERVER, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => ({ tools: [...GATEWAY_TOOLS] }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    if (!isVerb(params.name)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Unknown tool. This server has: tool_browse, tool_execute, tool_view',
      );
    }
    const progressToken = mcpReq._meta?.progressToken;
    return serveVerb(
      house,
      { name: params.name, args: params.arguments ?? {} },
      {
        principal,
        trace: traceFrom(mcpReq._meta?.traceparent),
        signal: mcpReq.signal,
        ...(progressToken !== undefined && {
          onProgress: (progress) => {
            const told = {
              method: 'notifications/progress',
              params: { progressToken, ...progress },
            } as const;
            // A caller that no longer listens must not fail the call it asked for.
            void mcpReq.notify(told).catch(() => {});
          },
        }),
      },
    );
  });
  return server;
}
