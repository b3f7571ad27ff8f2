import { setTimeout as pause } from 'node:timers/promises';

/** What a caller was told of its key in the end. */
export type Told = 'success' | 'unknown' | 'failure';

const PATIENCE_MS = 120_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** About as long as the work takes: a line that breaks then breaks before the effect, after it, or after the answer. */
const LONGEST_LINE_MS = 50;

/** Sends one keyed write, and sends it again as the protocol tells clients to, until there is an answer. */
export async function charge(urls: readonly string[], key: string, losesLine: boolean): Promise<Told> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let tries = 0; Date.now() < giveUpAt; tries++) {
    const url = urls[Math.floor(Math.random() * urls.length)]!;
    const lineMs = losesLine && tries === 0 ? Math.random() * LONGEST_LINE_MS : REQUEST_TIMEOUT_MS;
    const told = await tryOnce(url, key, lineMs);
    if (told !== 'again') return told;
    await pause(Math.min(20 * (tries + 1), 200));
  }
  throw new Error(`no answer for ${key} in ${PATIENCE_MS} ms`);
}

async function tryOnce(url: string, key: string, lineMs: number): Promise<Told | 'again'> {
  const answer = await post(url, key, lineMs);
  if (!answer) return 'again';
  const { isError, structuredContent: said } = answer;
  if (!isError) return 'success';
  if (said?.details?.unresolved_call !== undefined) return 'unknown';
  return said?.retryable ? 'again' : 'failure';
}

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: {
    readonly retryable?: boolean;
    readonly details?: { readonly unresolved_call?: string };
  };
}

/** Nothing where the connection was refused or cut: the caller cannot know whether its call was seen. */
async function post(url: string, key: string, lineMs: number): Promise<Answer | undefined> {
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
          arguments: { tool_id: '/till/charge', args: { order: key }, idempotency_key: key },
        },
      }),
      signal: AbortSignal.timeout(Math.ceil(lineMs)),
    });
    return response.ok ? ((await response.json()) as { result: Answer }).result : undefined;
  } catch {
    return undefined;
  }
}
