import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Fault } from '../../contract/errors.ts';

const MAX_PAGES = 1_000;
const MAX_TOOLS = 100_000;

// Deliberately loose: one malformed tool must not cost the others.
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Every page of the list. A cursor that comes twice would come for ever. */
export async function listTools(client: Client, timeoutMs: number): Promise<readonly unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, Page, { timeout: timeoutMs });
    tools.push(...result.tools);
    if (tools.length > MAX_TOOLS)
      throw new Fault('UPSTREAM_FAILURE', `The list has more than ${MAX_TOOLS} tools.`);
    cursor = result.nextCursor;
    if (cursor === undefined) return tools;
    if (cursors.has(cursor)) throw new Fault('UPSTREAM_FAILURE', 'The pages of the list lead in a circle.');
    cursors.add(cursor);
  }
  throw new Fault('UPSTREAM_FAILURE', `The list has more than ${MAX_PAGES} pages.`);
}
