/** Sends a result end to end: from an MCP server, through a running gateway, to the official client. */

import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { ArtifactRef } from '../../src/contract/call/outcome.ts';
import { openTestGateway } from '../gateway.ts';
import { readStructured } from '../structured.ts';

/** The result that the upstream sends, valid or not. */
export type UpstreamResult = Readonly<Record<string, unknown>>;

/** `usesSdk`: whether the SDK answers, and not the fast path. */
export interface CallOptions {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly usesSdk?: boolean;
}

export interface ResultHarness {
  /** Number of calls that reached the upstream. */
  readonly calls: number;
  execute(
    result: UpstreamResult,
    more?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallToolResult>;
  view(handle: string, selector?: unknown): Promise<CallToolResult>;
  /** Calls a meta-tool, by default on the fast path. */
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

const TOOL = { name: 'give', description: 'Gives.', inputSchema: { type: 'object' } };

export async function openResultHarness(
  settings: Readonly<Record<string, unknown>> = {},
  upstreams: Readonly<Record<string, object>> = {},
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
  const shop = { url: `http://127.0.0.1:${port}/mcp` };
  const gateway = await openTestGateway({ shop, ...upstreams }, { settings });
  const client = new Client({ name: 'a client', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
  // A request for progress is answered by a stream of the SDK.
  const call: ResultHarness['call'] = (name, args, { meta, usesSdk = false } = {}) =>
    client.callTool(
      { name, arguments: args, ...(meta && { _meta: meta }) },
      usesSdk ? { onprogress: () => {} } : {},
    ) as Promise<CallToolResult>;
  return {
    get calls() {
      return calls;
    },
    execute: (result, more = {}, options = {}) => {
      answer = result;
      return call('tool_execute', { tool_id: '/shop/give', args: {}, ...more }, options);
    },
    call,
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
export function readHandles(answer: CallToolResult): string[] {
  return (readStructured(answer)!.artifacts as readonly ArtifactRef[]).map(({ handle }) => handle);
}
