import assert from 'node:assert/strict';
import { MAX_PAIRS_PER_TOOL } from '../../contract/ports/usage-store.ts';
import { type StoreCase, withStores } from './store-case.ts';

/** The obligations of `UsageStore`. */
export const usageCases: readonly StoreCase[] = [
  {
    name: 'usage: a repeated pair is counted and stored once, and lists have one order',
    run: withStores(async ({ usage }) => {
      const b = { tool: 'shop:buy', request: 'purchase a thing' };
      const a = { tool: 'mail:send', request: 'write to Zoë' };
      const c = { tool: 'mail:send', request: 'Write to Ann' };
      for (const pair of [b, a, c]) await usage.record('me', pair);
      await Promise.all(Array.from({ length: 5 }, () => usage.record('me', b)));
      assert.deepEqual(await usage.list('me'), [
        { ...c, times: 1 },
        { ...a, times: 1 },
        { ...b, times: 6 },
      ]);
    }),
  },
  {
    name: 'usage: the pairs of one owner are separate from others, and are cleared alone',
    run: withStores(async ({ usage }) => {
      const owners = ['["t","a"]', '["t","A"]', '["t"]', "it's % _", 'nul \u0000'];
      for (const owner of owners) await usage.record(owner, { tool: 'x:y', request: owner });
      for (const owner of owners)
        assert.deepEqual(await usage.list(owner), [{ tool: 'x:y', request: owner, times: 1 }]);
      assert.deepEqual(await usage.list('unknown'), []);
      const found = await usage.owners();
      assert.deepEqual(new Set(found.map(({ owner }) => owner)), new Set(owners));
      assert.ok(found.every(({ pairs }) => pairs === 1));
      assert.equal(await usage.clear(owners[0]!), 1);
      assert.equal(await usage.clear(owners[0]!), 0);
      assert.deepEqual(await usage.list(owners[0]!), []);
      for (const owner of owners.slice(1)) assert.equal((await usage.list(owner)).length, 1);
    }),
  },
  {
    name: 'usage: a tool keeps the most recently recorded requests',
    run: withStores(async ({ usage }) => {
      const request = (i: number): string => `request ${String(i).padStart(3, '0')}`;
      for (let i = 0; i < MAX_PAIRS_PER_TOOL; i++)
        await usage.record('me', { tool: 'x:y', request: request(i) });
      await usage.record('me', { tool: 'x:other', request: 'kept' });
      await usage.record('me', { tool: 'x:y', request: request(0) });
      await usage.record('me', { tool: 'x:y', request: 'one more' });
      const stored = (await usage.list('me'))
        .filter(({ tool }) => tool === 'x:y')
        .map((pair) => pair.request);
      assert.equal(stored.length, MAX_PAIRS_PER_TOOL);
      assert.ok(stored.includes(request(0)) && stored.includes('one more') && !stored.includes(request(1)));
      assert.equal((await usage.list('me')).length, MAX_PAIRS_PER_TOOL + 1);
    }),
  },
  {
    name: 'usage: pairs survive a restart',
    run: async (open) => {
      const first = await open();
      await first.usage.record('me', { tool: 'x:y', request: 'again' });
      await first.close();
      const second = await open();
      assert.deepEqual(await second.usage.list('me'), [{ tool: 'x:y', request: 'again', times: 1 }]);
      await second.close();
    },
  },
];
