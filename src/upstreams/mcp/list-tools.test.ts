import { describe, expect, it } from 'vitest';
import { listTools } from './list-tools.ts';

type Lister = Parameters<typeof listTools>[0];

/** A server that answers with these pages by cursor; the first page is under ''. */
function serverWith(pages: Readonly<Record<string, object>>): { client: Lister; cursors: string[] } {
  const cursors: string[] = [];
  const request = async ({ params }: { params: { cursor?: string } }): Promise<object> => {
    const cursor = params.cursor ?? '';
    cursors.push(cursor);
    return pages[cursor] ?? { tools: [] };
  };
  return { client: { request } as unknown as Lister, cursors };
}

const { signal } = new AbortController();
const MAX_BYTES = 100_000_000;

describe('listTools', () => {
  it('joins the pages in their order', async () => {
    const { client, cursors } = serverWith({
      '': { tools: [1, 2], nextCursor: 'b' },
      b: { tools: [3], nextCursor: 'c' },
      c: { tools: [] },
    });
    expect(await listTools(client, signal, MAX_BYTES)).toEqual([1, 2, 3]);
    expect(cursors).toEqual(['', 'b', 'c']);
  });

  it.each([null, '', undefined])('stops at the cursor %j', async (nextCursor) => {
    const { client, cursors } = serverWith({ '': { tools: [1], nextCursor } });
    expect(await listTools(client, signal, MAX_BYTES)).toEqual([1]);
    expect(cursors).toHaveLength(1);
  });

  it.each([
    ['directly', { '': { tools: [1], nextCursor: 'a' }, a: { tools: [2], nextCursor: 'a' } }],
    [
      'after another page',
      {
        '': { tools: [1], nextCursor: 'a' },
        a: { tools: [2], nextCursor: 'b' },
        b: { tools: [3], nextCursor: 'a' },
      },
    ],
  ])('rejects a cursor that is repeated %s', async (_, pages) => {
    const { client } = serverWith(pages);
    await expect(listTools(client, signal, MAX_BYTES)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILURE',
      message: 'The upstream repeated a page cursor in its tool list. Correct its pagination.',
    });
  });

  it('limits the size of all pages together', async () => {
    let page = 0;
    const request = async (): Promise<object> => ({
      tools: [{ name: `tool-${page}`, description: 'x'.repeat(1_000) }],
      nextCursor: String(page++),
    });
    const listing = listTools({ request } as unknown as Lister, signal, 10_000);
    await expect(listing).rejects.toThrow('maxAnswerBytes (10000)');
    expect(page).toBe(10);
  });

  it('rejects a list that never ends', async () => {
    let page = 0;
    const request = async (): Promise<object> => ({ tools: [], nextCursor: String(page++) });
    await expect(listTools({ request } as unknown as Lister, signal, MAX_BYTES)).rejects.toThrow(
      'more than 1000 pages',
    );
    expect(page).toBe(1_000);
  });

  it('rejects a list of too many tools on one page', async () => {
    const { client } = serverWith({ '': { tools: Array(200_000).fill(0) } });
    await expect(listTools(client, signal, MAX_BYTES)).rejects.toThrow('more than 100000 tools');
  });
});
