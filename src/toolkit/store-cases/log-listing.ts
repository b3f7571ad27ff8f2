import assert from 'node:assert/strict';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { LogQuery } from '../../contract/ports/receipt-log.ts';
import { CLEARED_EXAMPLES, callIds, intentOf, resolutionOf } from './log-samples.ts';
import { sampleEntry, sampleReceipt } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');

function minute(n: number): string {
  return new Date(START + n * MINUTE_MS).toISOString();
}

/** The obligations of `ReceiptLog` for listings. */
export const listingCases: readonly StoreCase[] = [
  {
    name: 'receipt log: pages run from the newest to the oldest without gaps or repeats, also during appends',
    run: withStores(async ({ receipts }) => {
      const expected: number[] = [];
      for (let n = 0; n < 25; n++) {
        const at = minute(n < 15 ? 0 : 1);
        expected.unshift(await receipts.append(sampleEntry({ callId: `call-${n}`, at })));
      }
      const seen: number[] = [];
      for (let page = await receipts.list({ limit: 4 }); page.length > 0; ) {
        seen.push(...page.map(({ seq }) => seq));
        await receipts.append(sampleEntry({ callId: `late-${seen.length}`, at: minute(1) }));
        page = await receipts.list({ limit: 4, before: seen.at(-1)! });
      }
      assert.deepEqual(seen, expected);
      assert.deepEqual(await receipts.list({ limit: 4, before: 1_000_000 }), []);
    }),
  },
  {
    name: 'receipt log: listings are ordered by time, the log by sequence number',
    run: withStores(async (stores) => {
      // A long call starts first and ends last.
      for (const [callId, n] of [
        ['second', 2],
        ['third', 3],
        ['first', 1],
      ] as const) {
        await stores.receipts.append(sampleEntry({ callId, at: minute(n) }));
      }
      assert.deepEqual(await callIds(stores, { limit: 10 }), ['third', 'second', 'first']);
      const [third] = await stores.receipts.list({ limit: 1 });
      assert.deepEqual(await callIds(stores, { limit: 10, before: third!.seq }), ['second', 'first']);
      const logged = await stores.receipts.read(0, 10);
      assert.deepEqual(
        logged.map((entry) => entry.kind === 'call' && entry.receipt.callId),
        ['second', 'third', 'first'],
      );
    }),
  },
  {
    name: 'receipt log: filters narrow a listing, alone, together and across pages',
    run: withStores(async ({ receipts }) => {
      const statuses = ['ok', 'failed', 'pending', 'dry_run'] as const;
      const all = Array.from({ length: 48 }, (_, n) =>
        sampleReceipt({
          callId: `call-${n}`,
          principalId: `principal-${n % 3}`,
          toolId: n % 2 === 0 ? 'a:b' : null,
          status: statuses[Math.floor(n / 6) % 4]!,
        }),
      );
      for (const receipt of all) await receipts.append({ kind: 'call', receipt });
      const filters = [
        { principalId: 'principal-1' },
        { toolId: 'a:b' },
        { status: 'dry_run' },
        { status: 'ok' },
        { principalId: 'principal-2', toolId: 'a:b', status: 'failed' },
        { principalId: 'unknown' },
        { toolId: 'a:never-called' },
      ] as const;
      for (const filter of filters) {
        const expected = all.filter((receipt) =>
          Object.entries(filter).every(([key, value]) => receipt[key as keyof Receipt] === value),
        );
        const found = await receipts.list({ ...filter, limit: 100 });
        assert.deepEqual(
          found.map((entry) => entry.kind === 'call' && entry.receipt),
          expected.toReversed(),
        );
        if (found.length < 3) continue;
        const rest = await receipts.list({ ...filter, before: found[1]!.seq, limit: 100 });
        assert.deepEqual(rest, found.slice(2));
      }
    }),
  },
  {
    name: 'receipt log: the name of a tool finds the entries of all its versions, and of no other tool',
    run: withStores(async (stores) => {
      const ids = [
        'a:b@1.0.0',
        'a:b#12345678',
        'a:b@2.0.0',
        'a:b_c@1.0.0',
        'a:b-2@1',
        'a:b.c#1',
        'a:bA@1',
        'a:a@1',
      ];
      for (const [n, toolId] of ids.entries())
        await stores.receipts.append(sampleEntry({ callId: `${n}`, at: minute(n), toolId }));
      await stores.receipts.append(sampleEntry({ callId: 'none', toolId: null }));
      assert.deepEqual(await callIds(stores, { toolName: 'a:b', limit: 10 }), ['2', '1', '0']);
      assert.deepEqual(await callIds(stores, { toolName: 'a:b', since: minute(1), limit: 1 }), ['2']);
      assert.deepEqual(await callIds(stores, { toolName: 'a:b@1.0.0', limit: 10 }), []);
    }),
  },
  {
    name: 'receipt log: a span of time narrows a listing to the millisecond, with and without other filters',
    run: withStores(async (stores) => {
      for (let n = 0; n < 12; n++) {
        const at = minute(n);
        await stores.receipts.append(sampleEntry({ callId: `${n}`, at, toolId: n % 2 ? 'a:b' : 'a:c' }));
      }
      const listed = (query: Omit<LogQuery, 'limit'>) => callIds(stores, { ...query, limit: 100 });
      assert.deepEqual(await listed({ since: minute(9) }), ['11', '10', '9']);
      assert.deepEqual(await listed({ until: minute(2) }), ['1', '0']);
      assert.deepEqual(await listed({ since: minute(4), until: minute(7) }), ['6', '5', '4']);
      assert.deepEqual(await listed({ since: minute(4), until: minute(9), toolId: 'a:b' }), ['7', '5']);
      const afterNine = new Date(START + 9 * MINUTE_MS + 1).toISOString();
      assert.deepEqual(await listed({ since: afterNine }), ['11', '10']);
      assert.deepEqual(await listed({ since: minute(12) }), []);
    }),
  },
  {
    name: 'receipt log: a listing can be narrowed to one kind of entry',
    run: withStores(async (stores) => {
      const { receipts } = stores;
      for (const entry of [
        intentOf('a'),
        sampleEntry({ callId: 'a' }),
        resolutionOf('a'),
        CLEARED_EXAMPLES,
      ]) {
        await receipts.append(entry);
      }
      assert.deepEqual(await callIds(stores, { limit: 10 }), ['clear_examples', 'a', 'a', 'a']);
      for (const kind of ['call', 'intent', 'resolution', 'operator'] as const) {
        const found = await receipts.list({ kind, limit: 10 });
        assert.deepEqual(
          found.map((entry) => entry.kind),
          [kind],
        );
      }
      const byOperator = await receipts.list({ principalId: 'operator:ann', limit: 10 });
      assert.deepEqual(
        byOperator.map(({ kind }) => kind),
        ['operator', 'resolution'],
      );
      const ofTool = await receipts.list({ toolId: 'files:read_file@1.2.0', limit: 10 });
      assert.deepEqual(
        ofTool.map(({ kind }) => kind),
        ['call', 'intent'],
      );
    }),
  },
];
