/**
 * A minimal MCP client, the same for every target: an SDK client would use as much CPU as the gateways it measures.
 * It supports both protocol eras over streamable HTTP and reads an answer as JSON or as an event stream.
 */
import { Pool } from 'undici';

export type Era = '2025-11-25' | '2026-07-28';

export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

export interface Client {
  /** @returns the text of the answer. Throws if there is none. */
  call(tool: ToolCall): Promise<string>;
  close(): Promise<void>;
}

type Headers = Record<string, string>;

const CLIENT_INFO = { name: 'toolgate-bench', version: '1' };
const BASE_HEADERS: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** A call that takes longer counts as failed, so that the benchmark cannot hang. */
const TIMEOUT_MS = 30_000;

export async function openClient(url: string, era: Era, connections: number): Promise<Client> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const post: Post = async (headers, message) => {
    const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(message) });
    const body = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`HTTP ${response.statusCode}: ${body.slice(0, 200)}`);
    return { headers: response.headers, body };
  };
  try {
    const request = era === '2026-07-28' ? statelessRequest() : await openSession(post);
    let lastId = 0;
    return {
      call: async (tool) => {
        const { headers, params } = request(tool);
        const id = ++lastId;
        const answer = await post(headers, { jsonrpc: '2.0', id, method: 'tools/call', params });
        return readText(readResult(answer, id));
      },
      close: () => pool.destroy(),
    };
  } catch (thrown) {
    await pool.destroy();
    throw thrown;
  }
}

type Post = (headers: Headers, message: object) => Promise<Answer>;
type MakeRequest = (tool: ToolCall) => { headers: Headers; params: object };

interface Answer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The 2025 handshake. If the server keeps a session, every later call names it. */
async function openSession(post: Post): Promise<MakeRequest> {
  const protocolVersion = '2025-11-25';
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO };
  const handshake = await post(BASE_HEADERS, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  readResult(handshake, 0);
  const session = handshake.headers['mcp-session-id'];
  const headers: Headers = {
    ...BASE_HEADERS,
    'mcp-protocol-version': protocolVersion,
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  };
  await post(headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return (tool) => ({ headers, params: tool });
}

/** Without sessions each call carries all metadata, under the names that the official client uses. */
function statelessRequest(): MakeRequest {
  const protocolVersion = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { ...BASE_HEADERS, 'mcp-protocol-version': protocolVersion, 'mcp-method': 'tools/call' };
  return (tool) => ({ headers: { ...headers, 'mcp-name': tool.name }, params: { ...tool, _meta } });
}

interface Message {
  readonly id?: unknown;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message?: string };
}

function readResult({ headers, body }: Answer, id: number): NonNullable<Message['result']> {
  const isJson = String(headers['content-type']).startsWith('application/json');
  const message = (isJson ? [body] : parseEvents(body))
    .map((text) => JSON.parse(text) as Message)
    .find((candidate) => candidate.id === id);
  if (!message?.result) throw new Error(message?.error?.message ?? `no result in: ${body.slice(0, 200)}`);
  return message.result;
}

/** Every server here writes data in one line. Events without data only keep the stream alive. */
function parseEvents(body: string): string[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '');
}

function readText({ isError, content }: NonNullable<Message['result']>): string {
  const text = content?.[0]?.text;
  if (isError || text === undefined) throw new Error(`the tool failed: ${text ?? 'no text'}`);
  return text;
}
