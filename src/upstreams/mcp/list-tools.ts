import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { estimateLength } from '../../base/json/estimate-length.ts';
import { Fault } from '../../contract/errors/fault.ts';
import { answerTooLarge } from './connection/answer-limit.ts';

const MAX_PAGES = 1_000;
const MAX_TOOLS = 100_000;
/** Disables the timeout of the SDK: the caller's signal ends the request. */
const NO_TIMEOUT = 0x7fff_ffff;

// Loose, so that one malformed tool does not lose the others. Some servers send null or an empty text for no cursor.
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Reads every page of the tool list. A repeated cursor would never end. The size limit holds for all pages together. */
export async function listTools(
  client: Pick<Client, 'request'>,
  signal: AbortSignal,
  maxBytes: number,
): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  let bytes = 0;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, Page, {
      signal,
      timeout: NO_TIMEOUT,
    });
    bytes += estimateLength(result.tools, maxBytes - bytes);
    if (bytes > maxBytes) throw answerTooLarge(maxBytes);
    for (const tool of result.tools) tools.push(tool);
    if (tools.length > MAX_TOOLS)
      throw new Fault(
        'UPSTREAM_FAILURE',
        `The upstream lists more than ${MAX_TOOLS} tools. Split it into several upstreams.`,
      );
    if (!result.nextCursor) return tools;
    cursor = result.nextCursor;
    if (cursors.has(cursor)) {
      throw new Fault(
        'UPSTREAM_FAILURE',
        'The upstream repeated a page cursor in its tool list. Correct its pagination.',
      );
    }
    cursors.add(cursor);
  }
  throw new Fault(
    'UPSTREAM_FAILURE',
    `The upstream lists its tools on more than ${MAX_PAGES} pages. Raise its page size.`,
  );
}
