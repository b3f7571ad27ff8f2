import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, snapshotOf } from '../../../test/catalogs.ts';
import { Ranker } from './ranker.ts';
import { Rankers } from './rankers.ts';
import { runSync } from './turns.ts';
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

const words = runSync(Ranker.of(SHOP.contracts));
const meanings = runSync(Ranker.of(SHOP.contracts, { vectors }));

function names(ranker: Ranker, request: string, limit = 10): string[] {
  return ranker.rank(request, limit).map(({ contract }) => contract.name);
}

describe('by words', () => {
  it.each([
    ['send a message', 'send_message'],
    ['delete', 'deleteFile'],
    ['erase', 'deleteFile'],
    ['danger', 'deleteFile'],
    ['encoding', 'read_file'],
    ['discard', 'deleteFile'],
    ['reimburse', 'create_refund'],
    ['i want my money back', 'create_refund'],
  ])('%s', (request, name) => {
    expect(names(words, request)[0]).toBe(name);
  });

  it.each(['nothing of the kind', 'the of and', 'constructor __proto__ toString'])(
    'finds nothing: %s',
    (request) => {
      expect(names(words, request)).toEqual([]);
    },
  );

  it('finds the tools of a server by its name', () => {
    expect(names(words, 'MAIL', 2).toSorted()).toEqual(['list_messages', 'send_message']);
  });
});

describe('by meaning', () => {
  it.each([
    ['will it be sunny tomorrow', 'get_forecast'],
    ['give the buyer their money back', 'create_refund'],
    ['write an email to a colleague', 'send_message'],
  ])('%s', (request, name) => {
    expect(names(meanings, request)[0]).toBe(name);
  });

  it('shows nothing that only a little speaks for', () => {
    expect(names(meanings, 'zzqx vvkp')).toEqual([]);
  });
});

describe('the order', () => {
  const request = fc
    .array(fc.constantFrom('create', 'issue', 'label', 'user', 'team', 'access', 'repository'), {
      minLength: 1,
    })
    .map((list) => list.join(' '));
  const { contracts } = snapshotOf({ shop: realisticTools(300) });
  const ranker = runSync(Ranker.of(contracts, { vectors }));

  it('is by score, and equal scores by id', () => {
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

  it('begins alike whatever the limit', () => {
    fc.assert(
      fc.property(request, (text) => {
        expect(ranker.rank(text, 5)).toEqual(ranker.rank(text, 50).slice(0, 5));
      }),
      { numRuns: 20 },
    );
  });

  it('does not depend on the order of the catalog, to the byte', () => {
    const shuffled = runSync(Ranker.of(contracts.toReversed(), { vectors }));
    fc.assert(
      fc.property(request, (text) => {
        expect(JSON.stringify(shuffled.rank(text, 20))).toBe(JSON.stringify(ranker.rank(text, 20)));
      }),
      { numRuns: 20 },
    );
  });

  it('leaves out what the caller may not see', () => {
    const seen = ranker.rank('create issue', 50, { maySee: ({ name }) => name.startsWith('list') });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ contract }) => contract.name.startsWith('list'))).toBe(true);
  });

  it('knows an empty catalog', () => {
    expect(runSync(Ranker.of([], { vectors })).rank('anything', 10)).toEqual([]);
  });
});

describe('a request for several things', () => {
  it('finds a tool for each', () => {
    const request =
      'Please tell me what the weather in Oslo will be like over the next days, and then send my colleague an e-mail message about it. Also remove the old file from the folder for ever.';
    expect(names(meanings, request, 3).toSorted()).toEqual(['deleteFile', 'get_forecast', 'send_message']);
  });
});

describe('rankers of snapshots', () => {
  it('make one for each, and none twice', async () => {
    const rankers = new Rankers(() => undefined);
    const first = await rankers.of(SHOP);
    expect(await rankers.of(SHOP)).toBe(first);
    expect(await rankers.of(snapshotOf({}))).not.toBe(first);
  });

  it('load the vectors only when somebody asks', async () => {
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
