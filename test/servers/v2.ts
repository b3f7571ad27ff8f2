import { type CallToolResult, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { FixtureServer } from './fixture-server.ts';

/** The fixture tools on the official SDK v2, which supports both protocol eras. */
export function v2Server(fixture: FixtureServer, changed: (server: Server) => void): Server {
  const server = new Server(
    { name: 'fixture-v2', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', ({ params }) => fixture.list(params?.cursor));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    try {
      const answer = await fixture.call(params.name, {
        args: params.arguments ?? {},
        signal: mcpReq.signal,
        progress: (progress, total) => {
          if (progressToken === undefined) return;
          const params = { progressToken, progress, total };
          void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
        },
        changed: () => changed(server),
      });
      return answer as unknown as CallToolResult;
    } catch (thrown) {
      throw new ProtocolError(-32_000, (thrown as Error).message);
    }
  });
  return server;
}
