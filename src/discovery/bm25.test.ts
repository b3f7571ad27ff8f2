import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, snapshotOf } from '../../test/catalogs.ts';
import { Bm25Index, indexOf } from './bm25.ts';

const SHOP = snapshotOf({
  mail: [
    { name: 'send_message', description: 'Send an e-mail message to somebody.' },
    { name: 'list_messages', description: 'List the messages in a folder.' },
  ],
  files: [
    { name: 'read_file', description: 'Read a file.', inputSchema: { properties: { encoding: {} } } },
    { name: 'deleteFile', title: 'Erase', description: 'Remove a file for ever.', tags: ['danger'] },
  ],
});

function found(query: string): string[] {
  return indexOf(SHOP)
    .rank(query)
    .map(({ contract }) => contract.name);
}

describe('ranking', () => {
  it.each([
    ['send a message', ['send_message', 'list_messages']],
    ['delete', ['deleteFile']],
    ['erase', ['deleteFile']],
    ['danger', ['deleteFile']],
    ['encoding', ['read_file']],
    ['nothing of the kind', []],
    ['the of and', []],
  ])('%s', (query, names) => {
    expect(found(query)).toEqual(names);
  });

  it('finds the tools of a server by its name', () => {
    expect(found('MAIL').toSorted()).toEqual(['list_messages', 'send_message']);
  });

  it('orders by score, and equal scores by id', () => {
    const index = new Bm25Index(snapshotOf({ shop: realisticTools(300) }).contracts);
    const query = fc.array(
      fc.constantFrom('create', 'issue', 'label', 'user', 'team', 'access', 'repository'),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(query, (words) => {
        const ranked = index.rank(words.join(' '));
        expect(ranked.length).toBeGreaterThan(0);
        for (const [i, { score, contract }] of ranked.entries()) {
          expect(score).toBe(Math.round(score * 10_000) / 10_000);
          const next = ranked[i + 1];
          if (!next) continue;
          expect(score).toBeGreaterThanOrEqual(next.score);
          if (score === next.score) expect(contract.id < next.contract.id).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('does not depend on the order of the catalog', () => {
    const { contracts } = snapshotOf({ shop: realisticTools(60) });
    const there = new Bm25Index(contracts).rank('create issue for a user');
    const back = new Bm25Index(contracts.toReversed()).rank('create issue for a user');
    expect(back).toEqual(there);
    expect(there.length).toBeGreaterThan(5);
  });

  it('knows an empty catalog, and words that objects have', () => {
    expect(new Bm25Index([]).rank('anything')).toEqual([]);
    expect(found('constructor __proto__ toString')).toEqual([]);
  });

  it('is indexed once for each snapshot', () => {
    expect(indexOf(SHOP)).toBe(indexOf(SHOP));
    expect(indexOf(SHOP)).not.toBe(indexOf(snapshotOf({})));
  });
});
