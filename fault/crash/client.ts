import { setTimeout as pause } from 'node:timers/promises';

/** The final answer that a client received for its key; `stuck` where it got none. */
export type ClientAnswer = 'success' | 'unknown' | 'failure' | 'stuck';

export interface ChargeOptions {
  /** The gateways, one of which is chosen for each attempt. */
  readonly urls: readonly string[];
  readonly key: string;
  /** Whether the connection of the first attempt breaks. */
  readonly breaksConnection: boolean;
}

const TOTAL_TIMEOUT_MS = 90_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** About as long as the work takes: the connection breaks before the effect, after it, or after the answer. */
const MAX_CONNECTION_MS = 50;

/** Sends one keyed write, and sends it again as the protocol demands of clients, until there is an answer. */
export async function charge({ urls, key, breaksConnection }: ChargeOptions): Promise<ClientAnswer> {
  const deadline = Date.now() + TOTAL_TIMEOUT_MS;
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    const url = urls[Math.floor(Math.random() * urls.length)]!;
    const isCut = breaksConnection && attempt === 0;
    const answer = await sendOnce(url, key, isCut ? Math.random() * MAX_CONNECTION_MS : REQUEST_TIMEOUT_MS);
    if (answer !== 'retry') return answer;
    await pause(Math.min(20 * (attempt + 1), 200));
  }
  return 'stuck';
}

async function sendOnce(url: string, key: string, timeoutMs: number): Promise<ClientAnswer | 'retry'> {
  const result = await post(url, key, timeoutMs);
  if (!result) return 'retry';
  if (!result.isError) return 'success';
  const error = result._meta?.['toolgate/structured'];
  if (error?.details?.unresolved_call !== undefined) return 'unknown';
  return error?.retryable ? 'retry' : 'failure';
}

interface ToolResult {
  readonly isError?: boolean;
  readonly _meta?: {
    readonly 'toolgate/structured'?: {
      readonly retryable?: boolean;
      readonly details?: { readonly unresolved_call?: string };
    };
  };
}

/** Undefined where the connection was refused or cut: the client cannot know whether the call was received. */
async function post(url: string, key: string, timeoutMs: number): Promise<ToolResult | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'tool_execute',
          arguments: { tool_id: '/shop/charge', args: { order: key }, idempotency_key: key },
        },
      }),
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    });
    return response.ok ? ((await response.json()) as { result: ToolResult }).result : undefined;
  } catch {
    return undefined;
  }
}
