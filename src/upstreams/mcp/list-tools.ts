import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Fault } from '../../contract/errors/fault.ts';

const MAX_PAGES = 1_000;
const MAX_TOOLS = 100_000;
/** The caller's signal is what ends the reading. */
const NO_TIMEOUT = 0x7fff_ffff;

// Deliberately loose: one malformed tool must not cost the others. Some servers write the lack of a cursor as null or
// as an empty text.
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Every page of the list. A cursor that comes twice would come for ever. */
export async function listTools(
  client: Pick<Client, 'request'>,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, Page, {
      signal,
      timeout: NO_TIMEOUT,
    });
    for (const tool of result.tools) tools.push(tool);
    if (tools.length > MAX_TOOLS)
      throw new Fault('UPSTREAM_FAILURE', `The list has more than ${MAX_TOOLS} tools.`);
    if (!result.nextCursor) return tools;
    cursor = result.nextCursor;
    if (cursors.has(cursor)) throw new Fault('UPSTREAM_FAILURE', 'The pages of the list lead in a circle.');
    cursors.add(cursor);
  }
  throw new Fault('UPSTREAM_FAILURE', `The list has more than ${MAX_PAGES} pages.`);
}
