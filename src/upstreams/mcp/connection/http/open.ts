import { SSEClientTransport } from '@modelcontextprotocol/client';
import { Agent, fetch as undiciFetch } from 'undici';
import { waitAtMost } from '../../../../base/async/timeout.ts';
import { PRODUCT } from '../../../../contract/product.ts';
import type { OpenTransport, TransportOptions } from '../open-transport.ts';
import type { HttpTarget } from '../target.ts';
import { limitBody } from './limit-body.ts';
import { StreamableHttpTransport } from './transport.ts';

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

const USER_AGENT = `${PRODUCT.name}/${PRODUCT.version}`;
/** How long closing waits until the server has ended its session. */
const END_SESSION_TIMEOUT_MS = 2_000;

export function openHttp(
  { url, headers, transport: kind }: HttpTarget,
  { maxAnswerBytes, onStreamOpened }: Pick<TransportOptions, 'maxAnswerBytes' | 'onStreamOpened'>,
): OpenTransport {
  // No timeouts: the gateway enforces deadlines itself, and an idle stream is valid for any time. No limit of connections:
  // the bulkhead limits the calls, and a probe must not wait behind them.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const fetch: Fetch = async (input, init) => {
    const response = await undiciFetch(input, { ...(init as object), dispatcher: agent });
    if (init?.method === 'GET' && response.ok) onStreamOpened();
    return limitBody(response, maxAnswerBytes) as unknown as Response;
  };
  const sentHeaders = withUserAgent(headers);
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), { fetch, requestInit: { headers: sentHeaders } })
      : new StreamableHttpTransport({ url, headers: sentHeaders, agent, maxAnswerBytes, fetch });
  return {
    transport,
    stderr: () => '',
    close: async () => {
      await transport.close().catch(() => {});
      if (transport instanceof StreamableHttpTransport && transport.sessionId !== undefined) {
        const ended = fetch(url, {
          method: 'DELETE',
          headers: { ...sentHeaders, ...transport.sessionHeaders() },
        });
        // The server may refuse (405) or be gone. The session then expires on its side.
        await waitAtMost(ended, { ms: END_SESSION_TIMEOUT_MS }).catch(() => {});
      }
      await agent.destroy();
    },
  };
}

function withUserAgent(headers: Readonly<Record<string, string>>): Record<string, string> {
  const hasUserAgent = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return hasUserAgent ? { ...headers } : { 'user-agent': USER_AGENT, ...headers };
}
