import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, snapshotOf } from '../../../test/catalogs.ts';
import { runSync } from '../../base/async/cooperative.ts';
import { Ranker } from './ranker.ts';
import { Rankers } from './rankers.ts';
import { WordVectors } from './word-vectors.ts';

const vectors = new WordVectors(readFileSync(new URL('../../../assets/word-vectors.bin', import.meta.url)));

const SHOP = snapshotOf({
  mail: [
    { name: 'send_message', description: 'Send an e-mail message to somebody.' },
    { name: 'list_messages', description: 'List the messages in a folder.' },
  ],
  files: [
    { name: 'read_file', description: 'Read a file.', inputSchema: { properties: { encoding: {} } } },
    { name: 'deleteFile', title: 'Erase', description: 'Remove a file for ever.', tags: ['danger'] },
  ],
  billing: [{ name: 'create_refund', description: 'Refunds a charge to the customer.' }],
  weather: [{ name: 'get_forecast', description: 'Weather forecast of a place for the next days.' }],
});

const byWords = runSync(Ranker.of(SHOP.contracts));
const byMeaning = runSync(Ranker.of(SHOP.contracts, { vectors }));

function names(ranker: Ranker, request: string, limit = 10): string[] {
  return ranker.rank(request, limit).map(({ contract }) => contract.name);
}

describe('ranking by words', () => {
  it.each([
    ['send a message', 'send_message'],
    ['delete', 'deleteFile'],
    ['erase', 'deleteFile'],
    ['danger', 'deleteFile'],
    ['encoding', 'read_file'],
    ['discard', 'deleteFile'],
    ['reimburse', 'create_refund'],
    ['i want my money back', 'create_refund'],
  ])('ranks for "%s" first: %s', (request, name) => {
    expect(names(byWords, request)[0]).toBe(name);
  });

  it.each(['nothing of the kind', 'the of and', 'constructor __proto__ toString'])(
    'finds nothing for "%s"',
    (request) => {
      expect(names(byWords, request)).toEqual([]);
    },
  );

  it('finds the tools of a namespace by its name', () => {
    expect(names(byWords, 'MAIL', 2).toSorted()).toEqual(['list_messages', 'send_message']);
  });
});

describe('ranking by meaning', () => {
  it.each([
    ['will it be sunny tomorrow', 'get_forecast'],
    ['give the buyer their money back', 'create_refund'],
    ['write an email to a colleague', 'send_message'],
  ])('ranks for "%s" first: %s', (request, name) => {
    expect(names(byMeaning, request)[0]).toBe(name);
  });

  it('omits tools that are only slightly similar', () => {
    expect(names(byMeaning, 'zzqx vvkp')).toEqual([]);
  });
});

describe('the order of results', () => {
  const request = fc
    .array(fc.constantFrom('create', 'issue', 'label', 'user', 'team', 'access', 'repository'), {
      minLength: 1,
    })
    .map((list) => list.join(' '));
  const { contracts } = snapshotOf({ shop: realisticTools(300) });
  const ranker = runSync(Ranker.of(contracts, { vectors }));

  it('is by score, then by id', () => {
    fc.assert(
      fc.property(request, fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const ranked = ranker.rank(text, limit);
        expect(ranked.length).toBeGreaterThan(0);
        expect(ranked.length).toBeLessThanOrEqual(limit);
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

  it('is the same at the beginning for every limit', () => {
    fc.assert(
      fc.property(request, (text) => {
        expect(ranker.rank(text, 5)).toEqual(ranker.rank(text, 50).slice(0, 5));
      }),
      { numRuns: 20 },
    );
  });

  it('does not depend on the order of the catalog', () => {
    const shuffled = runSync(Ranker.of(contracts.toReversed(), { vectors }));
    fc.assert(
      fc.property(request, (text) => {
        expect(JSON.stringify(shuffled.rank(text, 20))).toBe(JSON.stringify(ranker.rank(text, 20)));
      }),
      { numRuns: 20 },
    );
  });

  it('omits tools that the caller may not see', () => {
    const visible = ranker.rank('create issue', 50, { maySee: ({ name }) => name.startsWith('list') });
    expect(visible.length).toBeGreaterThan(0);
    expect(visible.every(({ contract }) => contract.name.startsWith('list'))).toBe(true);
  });

  it('is empty for an empty catalog', () => {
    expect(runSync(Ranker.of([], { vectors })).rank('anything', 10)).toEqual([]);
  });
});

describe('a request with several clauses', () => {
  it('finds a tool for each clause', () => {
    const request =
      'Please tell me what the weather in Oslo will be like over the next days, and then send my colleague an e-mail message about it. Also remove the old file from the folder for ever.';
    expect(names(byMeaning, request, 3).toSorted()).toEqual(['deleteFile', 'get_forecast', 'send_message']);
  });
});

describe('Rankers', () => {
  it('builds one ranker per snapshot', async () => {
    const rankers = new Rankers(() => undefined);
    const first = await rankers.of(SHOP);
    expect(await rankers.of(SHOP)).toBe(first);
    expect(await rankers.of(snapshotOf({}))).not.toBe(first);
  });

  it('loads the vectors with the first ranker', async () => {
    let loads = 0;
    const rankers = new Rankers(() => {
      loads++;
      return vectors;
    });
    expect(loads).toBe(0);
    const ranker = await rankers.of(SHOP);
    expect(loads).toBe(1);
    expect(names(ranker, 'will it be sunny tomorrow')[0]).toBe('get_forecast');
  });
});
