import { describe, expect, it } from 'vitest';
import { listTools } from './list-tools.ts';

type Lister = Parameters<typeof listTools>[0];

/** A server that answers with these pages by cursor; the first page is under ''. */
function serverWith(pages: Readonly<Record<string, object>>): { client: Lister; asked: string[] } {
  const asked: string[] = [];
  const request = async ({ params }: { params: { cursor?: string } }): Promise<object> => {
    const cursor = params.cursor ?? '';
    asked.push(cursor);
    return pages[cursor] ?? { tools: [] };
  };
  return { client: { request } as unknown as Lister, asked };
}

const { signal } = new AbortController();

describe('the list of tools', () => {
  it('is the pages one after another', async () => {
    const { client, asked } = serverWith({
      '': { tools: [1, 2], nextCursor: 'b' },
      b: { tools: [3], nextCursor: 'c' },
      c: { tools: [] },
    });
    expect(await listTools(client, signal)).toEqual([1, 2, 3]);
    expect(asked).toEqual(['', 'b', 'c']);
  });

  it.each([null, '', undefined])('ends with the cursor %j', async (nextCursor) => {
    const { client, asked } = serverWith({ '': { tools: [1], nextCursor } });
    expect(await listTools(client, signal)).toEqual([1]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['at once', { '': { tools: [1], nextCursor: 'a' }, a: { tools: [2], nextCursor: 'a' } }],
    [
      'over another page',
      {
        '': { tools: [1], nextCursor: 'a' },
        a: { tools: [2], nextCursor: 'b' },
        b: { tools: [3], nextCursor: 'a' },
      },
    ],
  ])('is refused when it leads in a circle %s', async (_, pages) => {
    const { client } = serverWith(pages);
    await expect(listTools(client, signal)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILURE',
      message: 'The pages of the list lead in a circle.',
    });
  });

  it('is refused when it never ends', async () => {
    let page = 0;
    const request = async (): Promise<object> => ({ tools: [], nextCursor: String(page++) });
    await expect(listTools({ request } as unknown as Lister, signal)).rejects.toThrow('more than 1000 pages');
    expect(page).toBe(1_000);
  });

  it('is refused when it is too long, however it is cut', async () => {
    const { client } = serverWith({ '': { tools: Array(200_000).fill(0) } });
    await expect(listTools(client, signal)).rejects.toThrow('more than 100000 tools');
  });
});
