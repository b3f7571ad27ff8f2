import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { FixtureServer } from './fixture-server.ts';

/** The fixture tools on the official SDK v1, which supports only the older era. */
export function v1Server(fixture: FixtureServer): Server {
  const server = new Server(
    { name: 'fixture-v1', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => fixture.list(params?.cursor));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    try {
      const answer = await fixture.call(params.name, {
        args: params.arguments ?? {},
        signal,
        progress: (progress, total) => {
          if (progressToken === undefined) return;
          const params = { progressToken, progress, total };
          void sendNotification({ method: 'notifications/progress', params }).catch(() => {});
        },
        changed: () => void server.sendToolListChanged(),
      });
      return answer as unknown as CallToolResult;
    } catch (thrown) {
      throw new McpError(-32_000, (thrown as Error).message);
    }
  });
  return server;
}
