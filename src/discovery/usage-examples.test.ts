import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { snapshotOf as catalogOf } from '../../test/catalogs.ts';
import { loadWordVectors } from '../app/wiring/word-vectors.ts';
import { LOCAL_USER, type Principal } from '../contract/call/principal.ts';
import type { Stores } from '../contract/ports/stores.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { Ranker } from './ranking/ranker.ts';
import { runSync } from './ranking/turns.ts';
import { type Learning, ownerOf, snapshotOf, UsageExamples } from './usage-examples.ts';

const catalog = catalogOf({
  travel: [
    { name: 'skyfare', description: 'Compares offers of carriers.' },
    { name: 'bedfinder', description: 'Compares offers of hosts.' },
  ],
  kitchen: [{ name: 'pantry', description: 'What is left in the cupboard.' }],
});
const ranker = runSync(Ranker.of(catalog.contracts));
const tool = (name: string) => catalog.contracts.find((contract) => contract.name === name)!;
const allIds = catalog.contracts.map(({ id }) => id);

const ann: Principal = { ...LOCAL_USER, id: 'ann', tenant: 'acme' };
const bob: Principal = { ...LOCAL_USER, id: 'bob', tenant: 'acme' };
const eve: Principal = { ...LOCAL_USER, id: 'eve', tenant: 'other' };

let stores: Stores | undefined;
afterEach(() => stores?.close());

async function usageWith(learning: Learning, refreshMs = 3_600_000): Promise<UsageExamples> {
  stores = await openSqliteStores({ file: ':memory:' });
  return new UsageExamples({ store: stores.usage, learning, refreshMs });
}

async function found(usage: UsageExamples, who: Principal, request: string): Promise<string[]> {
  const examples = await usage.overlayFor(who, catalog, ranker);
  return ranker.rank(request, 10, { examples }).map(({ contract }) => contract.name);
}

async function teach(usage: UsageExamples, who: Principal, request: string, name: string): Promise<void> {
  usage.shown(who, request, allIds);
  await usage.called(who, tool(name));
}

describe('what a caller asked for before it called', () => {
  it('finds the tool for it the next time', async () => {
    const usage = await usageWith('principal', 1);
    expect(await found(usage, ann, 'cheap flight to Oslo')).toEqual([]);
    await teach(usage, ann, 'flight to Rome', 'skyfare');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await found(usage, ann, 'cheap flight to Oslo')).toEqual(['skyfare']);
  });

  it.each([
    ['principal', bob],
    ['principal', eve],
    ['tenant', eve],
    ['tenant', { ...LOCAL_USER, id: 'ann' }],
  ] as const)('by %s is unknown to %o', async (learning, other) => {
    const usage = await usageWith(learning);
    await teach(usage, ann, 'flight to Rome', 'skyfare');
    expect(await found(usage, ann, 'cheap flight')).toEqual(['skyfare']);
    expect(await found(usage, other, 'cheap flight')).toEqual([]);
  });

  it('is shared within a tenant where the operator says so', async () => {
    const usage = await usageWith('tenant');
    await teach(usage, ann, 'flight to Rome', 'skyfare');
    expect(await found(usage, bob, 'cheap flight')).toEqual(['skyfare']);
  });

  it('is not kept at all unless it is switched on', async () => {
    const usage = await usageWith('off');
    await teach(usage, ann, 'flight to Rome', 'skyfare');
    expect(await stores!.usage.owners()).toEqual([]);
    expect(await found(usage, ann, 'cheap flight')).toEqual([]);
  });

  it('counts only for a tool that was shown for it, by the latest request that did', async () => {
    const usage = await usageWith('principal');
    usage.shown(ann, 'a bed', [tool('bedfinder').id]);
    usage.shown(ann, 'a flight', [tool('skyfare').id]);
    usage.shown(ann, 'a place to sleep', [tool('bedfinder').id]);
    await usage.called(ann, tool('bedfinder'));
    await usage.called(ann, tool('pantry'));
    await usage.called(bob, tool('skyfare'));
    expect(await stores!.usage.list(ownerOf(ann, 'principal')!)).toEqual([
      { tool: 'travel:bedfinder', request: 'a place to sleep', times: 1 },
    ]);
    expect(await stores!.usage.list(ownerOf(bob, 'principal')!)).toEqual([]);
  });

  it('does not move a ranking before the next look', async () => {
    const usage = await usageWith('principal');
    expect(await found(usage, ann, 'cheap flight')).toEqual([]);
    await teach(usage, ann, 'flight to Rome', 'skyfare');
    expect(await found(usage, ann, 'cheap flight')).toEqual([]);
  });

  it('weighs more with each of its first three sightings, and not with the fourth', async () => {
    const scores: number[] = [];
    for (let sightings = 1; sightings <= 4; sightings++) {
      const usage = await usageWith('principal');
      for (let i = 0; i < sightings; i++) await teach(usage, ann, 'carriers to Rome', 'skyfare');
      const examples = await usage.overlayFor(ann, catalog, ranker);
      const { signals } = ranker.explain('carriers to Rome hosts', tool('skyfare'), { examples });
      scores.push(signals.find(({ signal }) => signal === 'examples')!.points);
      await stores!.close();
    }
    expect(scores[0]).toBeLessThan(scores[1]!);
    expect(scores[1]).toBeLessThan(scores[2]!);
    expect(scores[2]).toBe(scores[3]);
    stores = undefined;
  });

  it('survives a store that fails: the next look asks again', async () => {
    stores = await openSqliteStores({ file: ':memory:' });
    let fails = true;
    const { usage: real } = stores;
    const store = {
      ...real,
      list: (owner: string) => (fails ? Promise.reject(new Error('gone')) : real.list(owner)),
    };
    const usage = new UsageExamples({ store, learning: 'principal', refreshMs: 3_600_000 });
    await expect(usage.overlayFor(ann, catalog, ranker)).rejects.toThrow('gone');
    fails = false;
    expect(await found(usage, ann, 'carriers')).toEqual(['skyfare']);
  });
});

describe('what a contract states', () => {
  const stated = catalogOf({
    travel: [
      { name: 'skyfare', declared: { examples: [{ query: 'book me a plane ticket' }] } },
      { name: 'bedfinder' },
    ],
  });

  it.each([undefined, loadWordVectors()])('is found without anything learned', async (vectors) => {
    const usage = await usageWith('off');
    const over = runSync(Ranker.of(stated.contracts, { vectors }));
    const examples = await usage.overlayFor(ann, stated, over);
    expect(over.rank('a plane ticket', 5, { examples })[0]?.contract.name).toBe('skyfare');
  });
});

it('gives the same bytes for the same pairs, whatever the order of registration', () => {
  const pairs = fc.uniqueArray(
    fc.record({
      tool: fc.constantFrom('travel:skyfare', 'travel:bedfinder', 'kitchen:pantry', 'gone:tool'),
      request: fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,4}$/),
      times: fc.integer({ min: 1, max: 5 }),
    }),
    { selector: ({ tool: name, request }) => `${name} ${request}`, maxLength: 12 },
  );
  const vectors = loadWordVectors();
  const one = runSync(Ranker.of(catalog.contracts, { vectors }));
  const other = runSync(Ranker.of(catalog.contracts.toReversed(), { vectors }));
  fc.assert(
    fc.property(pairs, fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,4}$/), (learned, request) => {
      const [first, second] = [one, other].map((each) => {
        const examples = runSync(
          each.overlay(
            catalog.contracts.map((contract) => ({
              contract,
              requests: learned
                .filter((pair) => pair.tool.endsWith(contract.name))
                .map((pair) => pair.request),
              trust: 1,
            })),
          ),
        );
        return JSON.stringify(each.rank(request, 10, { examples }));
      });
      expect(first).toBe(second);
      expect(snapshotOf(learned).digest).toBe(snapshotOf(structuredClone(learned)).digest);
    }),
    { numRuns: 50 },
  );
});
