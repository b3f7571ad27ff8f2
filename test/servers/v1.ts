import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { Workshop } from './fixture-server.ts';

/** The workshop on the official SDK v1, which knows the older era only. */
export function v1Server(workshop: Workshop): Server {
  const server = new Server(
    { name: 'workshop-v1', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => workshop.list(params?.cursor));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    try {
      const answer = await workshop.call(params.name, {
        args: params.arguments ?? {},
        signal,
        progress: (progress, total) => {
          if (progressToken === undefined) return;
          const told = { progressToken, progress, total };
          void sendNotification({ method: 'notifications/progress', params: told }).catch(() => {});
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
