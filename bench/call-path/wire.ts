/**
 * A client as lean as the protocol allows, the same for every contestant: an SDK client would take as much CPU as the
 * gateways it measures. It speaks both eras over streamable HTTP and reads an answer as JSON or as a stream of events.
 */
import { Pool } from 'undici';

export type Era = '2025-11-25' | '2026-07-28';

export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

export interface Wire {
  /** @returns the text of the answer; throws where there is none. */
  call(tool: ToolCall): Promise<string>;
  close(): Promise<void>;
}

type Headers = Record<string, string>;

const CLIENT = { name: 'toolgate-bench', version: '1' };
const BASE_HEADERS: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** A call that takes longer than this has failed: nobody watches a benchmark that hangs. */
const TIMEOUT_MS = 30_000;

export async function openWire(url: string, era: Era, connections: number): Promise<Wire> {
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
    let last = 0;
    return {
      call: async (tool) => {
        const { headers, params } = request(tool);
        const id = ++last;
        const answer = await post(headers, { jsonrpc: '2.0', id, method: 'tools/call', params });
        return textIn(resultOf(answer, id));
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

/** The handshake of 2025: afterwards the server's session, where it keeps one, is named with every call. */
async function openSession(post: Post): Promise<MakeRequest> {
  const protocolVersion = '2025-11-25';
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT };
  const hello = await post(BASE_HEADERS, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  resultOf(hello, 0);
  const session = hello.headers['mcp-session-id'];
  const headers: Headers = {
    ...BASE_HEADERS,
    'mcp-protocol-version': protocolVersion,
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  };
  await post(headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return (tool) => ({ headers, params: tool });
}

/** Without sessions everything travels with the call, in the names that the official client sends. */
function statelessRequest(): MakeRequest {
  const protocolVersion = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': CLIENT,
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

function resultOf({ headers, body }: Answer, id: number): NonNullable<Message['result']> {
  const isJson = String(headers['content-type']).startsWith('application/json');
  const message = (isJson ? [body] : eventsIn(body))
    .map((text) => JSON.parse(text) as Message)
    .find((candidate) => candidate.id === id);
  if (!message?.result) throw new Error(message?.error?.message ?? `no answer in: ${body.slice(0, 200)}`);
  return message.result;
}

/** Data of one line each, as every server here writes it; events without data only keep the stream alive. */
function eventsIn(body: string): string[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '');
}

function textIn({ isError, content }: NonNullable<Message['result']>): string {
  const text = content?.[0]?.text;
  if (isError || text === undefined) throw new Error(`the tool failed: ${text ?? 'without a word'}`);
  return text;
}
