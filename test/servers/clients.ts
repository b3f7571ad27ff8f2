/** The official clients of both SDK versions behind one interface. */
import {
  Client as V2Client,
  StreamableHTTPClientTransport as V2Http,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const CLIENTS = ['v2 modern', 'v2 auto', 'v2 legacy', 'v1'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** A URL, or a command with its environment. */
export type ServerAddress =
  | { readonly url: string }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

export interface ToolAnswer {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number }) => void;
}

export interface TestClient {
  readonly protocol: string | undefined;
  list(): Promise<readonly ListedTool[]>;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

const SELF = { name: 'toolgate-test', version: '1.0.0' };
const MODES: Readonly<Record<Exclude<ClientName, 'v1'>, VersionNegotiationMode>> = {
  'v2 modern': { pin: '2026-07-28' },
  'v2 auto': 'auto',
  'v2 legacy': 'legacy',
};

export function connectClient(name: ClientName, address: ServerAddress): Promise<TestClient> {
  return name === 'v1' ? connectV1(address) : connectV2(address, MODES[name]);
}

async function connectV2(address: ServerAddress, mode: VersionNegotiationMode): Promise<TestClient> {
  const client = new V2Client(SELF, { versionNegotiation: { mode } });
  await client.connect(
    'url' in address ? new V2Http(new URL(address.url)) : new V2Stdio({ ...address, stderr: 'ignore' }),
  );
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, options)) as ToolAnswer,
    close: () => client.close(),
  };
}

async function connectV1(address: ServerAddress): Promise<TestClient> {
  const client = new V1Client(SELF);
  const transport =
    'url' in address ? new V1Http(new URL(address.url)) : new V1Stdio({ ...address, stderr: 'ignore' });
  await client.connect(transport as Parameters<V1Client['connect']>[0]);
  return {
    protocol: 'protocolVersion' in transport ? transport.protocolVersion : undefined,
    list: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, undefined, options)) as ToolAnswer,
    close: () => client.close(),
  };
}
