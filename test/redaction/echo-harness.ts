/** A real gateway on loopback, between an upstream that returns the result of the test's choice and the official MCP client. */
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { openedGateway, type TestGateway, type TestGatewayOptions } from '../gateway.ts';
import { readStructured } from '../structured.ts';

/** A tool result as the client receives it. */
export interface EchoedResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly [extra: string]: unknown;
  }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface EchoHarness extends TestGateway {
  /** Calls a tool that returns this result. */
  echo(result: object): Promise<EchoedResult>;
  execute(args: object): Promise<EchoedResult>;
  browse(args: object): Promise<EchoedResult>;
  /** Reads all pages of a view, without the line with their number. */
  view(handle: string, selector: object): Promise<string[]>;
}

const ECHO = { name: 'echo', description: 'Returns a prepared result.', inputSchema: { type: 'object' } };

export async function startEchoHarness({
  tools = [],
  ...options
}: TestGatewayOptions & { readonly tools?: readonly object[] } = {}): Promise<EchoHarness> {
  let prepared: object = {};
  const url = await startServer(() => {
    const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [ECHO, ...tools] }) as never);
    server.setRequestHandler('tools/call', () => prepared as CallToolResult);
    return server;
  });
  const gateway = await openedGateway({ upstream: { url } }, options);
  const client = new Client({ name: 'a-model', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
  onTestFinished(() => client.close());
  const call = async (name: string, args: object): Promise<EchoedResult> =>
    (await client.callTool({ name, arguments: { ...args } })) as EchoedResult;
  return {
    ...gateway,
    async echo(result) {
      prepared = result;
      return call('tool_execute', { tool_id: '/upstream/echo', args: {} });
    },
    execute: (args) => call('tool_execute', args),
    browse: (args) => call('tool_browse', args),
    async view(handle, selector) {
      const pages: string[] = [];
      for (let next: unknown = selector; next !== undefined; ) {
        const page = await call('tool_view', { handle, selector: next });
        pages.push(page.content[0]!.text!.replace(/\n\([^\n]*\)$/, ''));
        next = readStructured(page)?.next;
      }
      return pages;
    },
  };
}

async function startServer(makeServer: () => Server): Promise<string> {
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
