import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { snapshotOf as catalogOf } from '../../test/catalogs.ts';
import { loadWordVectors } from '../app/wiring/word-vectors.ts';
import { runSync } from '../base/async/cooperative.ts';
import { LOCAL_USER, type Principal } from '../contract/call/principal.ts';
import type { Stores } from '../contract/ports/stores.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { Ranker } from './ranking/ranker.ts';
import { type LearningScope, UsageExamples, usageOwnerOf, usageSnapshotOf } from './usage-examples.ts';

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

async function usageWith(learning: LearningScope, refreshMs = 3_600_000): Promise<UsageExamples> {
  stores = await openSqliteStores({ file: ':memory:' });
  return new UsageExamples({ store: stores.usage, learning, refreshMs });
}

async function rank(usage: UsageExamples, principal: Principal, request: string): Promise<string[]> {
  const examples = await usage.overlayFor(principal, catalog, ranker);
  return ranker.rank(request, 10, { examples }).map(({ contract }) => contract.name);
}

async function browseAndCall(
  usage: UsageExamples,
  principal: Principal,
  request: string,
  name: string,
): Promise<void> {
  usage.recordBrowse(principal, request, allIds);
  await usage.recordCall(principal, tool(name));
}

describe('UsageExamples', () => {
  it('ranks a tool for requests like the one that led to a call of it', async () => {
    const usage = await usageWith('principal', 1);
    expect(await rank(usage, ann, 'cheap flight to Oslo')).toEqual([]);
    await browseAndCall(usage, ann, 'flight to Rome', 'skyfare');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await rank(usage, ann, 'cheap flight to Oslo')).toEqual(['skyfare']);
  });

  it.each([
    ['principal', bob],
    ['principal', eve],
    ['tenant', eve],
    ['tenant', { ...LOCAL_USER, id: 'ann' }],
  ] as const)('shares nothing learned by %s with %o', async (learning, other) => {
    const usage = await usageWith(learning);
    await browseAndCall(usage, ann, 'flight to Rome', 'skyfare');
    expect(await rank(usage, ann, 'cheap flight')).toEqual(['skyfare']);
    expect(await rank(usage, other, 'cheap flight')).toEqual([]);
  });

  it('shares examples within a tenant where learning is by tenant', async () => {
    const usage = await usageWith('tenant');
    await browseAndCall(usage, ann, 'flight to Rome', 'skyfare');
    expect(await rank(usage, bob, 'cheap flight')).toEqual(['skyfare']);
  });

  it('stores nothing where learning is off', async () => {
    const usage = await usageWith('off');
    await browseAndCall(usage, ann, 'flight to Rome', 'skyfare');
    expect(await stores!.usage.owners()).toEqual([]);
    expect(await rank(usage, ann, 'cheap flight')).toEqual([]);
  });

  it('stores the latest request that returned the called tool, and no other', async () => {
    const usage = await usageWith('principal');
    usage.recordBrowse(ann, 'a bed', [tool('bedfinder').id]);
    usage.recordBrowse(ann, 'a flight', [tool('skyfare').id]);
    usage.recordBrowse(ann, 'a place to sleep', [tool('bedfinder').id]);
    await usage.recordCall(ann, tool('bedfinder'));
    await usage.recordCall(ann, tool('pantry'));
    await usage.recordCall(bob, tool('skyfare'));
    expect(await stores!.usage.list(usageOwnerOf(ann, 'principal')!)).toEqual([
      { tool: 'travel:bedfinder', request: 'a place to sleep', times: 1 },
    ]);
    expect(await stores!.usage.list(usageOwnerOf(bob, 'principal')!)).toEqual([]);
  });

  it('does not change a ranking before the snapshot is refreshed', async () => {
    const usage = await usageWith('principal');
    expect(await rank(usage, ann, 'cheap flight')).toEqual([]);
    await browseAndCall(usage, ann, 'flight to Rome', 'skyfare');
    expect(await rank(usage, ann, 'cheap flight')).toEqual([]);
  });

  it('raises the score with each of the first three calls, and not with the fourth', async () => {
    const scores: number[] = [];
    for (let calls = 1; calls <= 4; calls++) {
      const usage = await usageWith('principal');
      for (let i = 0; i < calls; i++) await browseAndCall(usage, ann, 'carriers to Rome', 'skyfare');
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

  it('reads the store again after a failed read', async () => {
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
    expect(await rank(usage, ann, 'carriers')).toEqual(['skyfare']);
  });
});

describe('examples that a contract declares', () => {
  const declared = catalogOf({
    travel: [
      { name: 'skyfare', declared: { examples: [{ query: 'book me a plane ticket' }] } },
      { name: 'bedfinder' },
    ],
  });

  it.each([undefined, loadWordVectors()])('are used where learning is off', async (vectors) => {
    const usage = await usageWith('off');
    const declaredRanker = runSync(Ranker.of(declared.contracts, { vectors }));
    const examples = await usage.overlayFor(ann, declared, declaredRanker);
    expect(declaredRanker.rank('a plane ticket', 5, { examples })[0]?.contract.name).toBe('skyfare');
  });
});

it('ranks by learned pairs with the same bytes in every order of registration', () => {
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
      expect(usageSnapshotOf(learned).digest).toBe(usageSnapshotOf(structuredClone(learned)).digest);
    }),
    { numRuns: 50 },
  );
});
