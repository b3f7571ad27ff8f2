/** A gateway before an upstream that answers what a test wants, and the official client before the gateway. All real, on loopback. */
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { openedGateway, type TestGateway, type TestGatewayOptions } from '../gateway.ts';

/** What came over the wire, and what tests read of it. */
export interface Told {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly [extra: string]: unknown;
  }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface Parrot extends TestGateway {
  /** What a caller gets to see of this result. */
  answer(result: object): Promise<Told>;
  execute(args: object): Promise<Told>;
  browse(args: object): Promise<Told>;
  /** All pages of a view, without the line that counts them. */
  view(handle: string, selector: object): Promise<string[]>;
}

const SAY = { name: 'say', description: 'Says what it was taught.', inputSchema: { type: 'object' } };

export async function openedParrot({
  tools = [],
  ...options
}: TestGatewayOptions & { readonly tools?: readonly object[] } = {}): Promise<Parrot> {
  let taught: object = {};
  const url = await serving(() => {
    const server = new Server({ name: 'parrot', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [SAY, ...tools] }) as never);
    server.setRequestHandler('tools/call', () => taught as CallToolResult);
    return server;
  });
  const gateway = await openedGateway({ parrot: { url } }, options);
  const client = new Client({ name: 'a-model', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
  onTestFinished(() => client.close());
  const ask = async (name: string, args: object): Promise<Told> =>
    (await client.callTool({ name, arguments: { ...args } })) as Told;
  return {
    ...gateway,
    async answer(result) {
      taught = result;
      return ask('tool_execute', { tool_id: '/parrot/say', args: {} });
    },
    execute: (args) => ask('tool_execute', args),
    browse: (args) => ask('tool_browse', args),
    async view(handle, selector) {
      const pages: string[] = [];
      for (let next: unknown = selector; next !== undefined; ) {
        const { content, structuredContent } = await ask('tool_view', { handle, selector: next });
        pages.push(content[0]!.text!.replace(/\n\([^\n]*\)$/, ''));
        next = structuredContent?.next;
      }
      return pages;
    },
  };
}

async function serving(makeServer: () => Server): Promise<string> {
  const handler = createMcpHandler(makeServer);
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const starting = serve(
      { fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: 0 },
      () => resolve(starting),
    );
  });
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
