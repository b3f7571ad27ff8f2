/** Sends a result end to end: from an MCP server, through a running gateway, to the official client. */

import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { ArtifactRef } from '../../src/contract/call/outcome.ts';
import { openTestGateway } from '../gateway.ts';

/** The result that the upstream sends, valid or not. */
export type UpstreamResult = Readonly<Record<string, unknown>>;

export interface ResultHarness {
  /** Number of calls that reached the upstream. */
  readonly calls: number;
  execute(result: UpstreamResult, more?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  view(handle: string, selector?: unknown): Promise<CallToolResult>;
  close(): Promise<void>;
}

const TOOL = { name: 'give', description: 'Gives.', inputSchema: { type: 'object' } };

export async function openResultHarness(
  settings: Readonly<Record<string, unknown>> = {},
): Promise<ResultHarness> {
  let answer: UpstreamResult = {};
  let calls = 0;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [TOOL] }) as never);
    server.setRequestHandler('tools/call', () => {
      calls++;
      return answer as never;
    });
    return server;
  });
  const upstream = serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: 0 });
  await new Promise((listening) => upstream.once('listening', listening));
  const { port } = upstream.address() as AddressInfo;
  const gateway = await openTestGateway({ shop: { url: `http://127.0.0.1:${port}/mcp` } }, { settings });
  const client = new Client({ name: 'a client', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
  const call = (name: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
  return {
    get calls() {
      return calls;
    },
    execute: (result, more = {}) => {
      answer = result;
      return call('tool_execute', { tool_id: '/shop/give', args: {}, ...more });
    },
    view: (handle, selector) => call('tool_view', { handle, ...(selector !== undefined && { selector }) }),
    close: async () => {
      await client.close();
      await gateway.close();
      upstream.close();
    },
  };
}

/** The text blocks of an answer: what a model reads. */
export function readText({ content }: Pick<CallToolResult, 'content'>): string {
  return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

/** The handles that an answer names. */
export function readHandles({ structuredContent }: CallToolResult): string[] {
  return (structuredContent as { artifacts: readonly ArtifactRef[] }).artifacts.map(({ handle }) => handle);
}
