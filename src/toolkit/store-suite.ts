import assert from 'node:assert/strict';
import type { Receipt } from '../contract/call/receipt.ts';
import type { ReceiptQuery } from '../contract/ports/receipt-store.ts';
import type { Stores } from '../contract/ports/stores.ts';
import { artifactCases, held, LASTING } from './store-cases/artifacts.ts';
import { idempotencyCases } from './store-cases/idempotency.ts';
import { sampleArtifact, sampleReceipt } from './store-cases/samples.ts';
import { type StoreCase, withStores } from './store-cases/store-case.ts';
import { usageCases } from './store-cases/usage.ts';

export { type StoreCase, sampleArtifact, sampleReceipt };

async function callIds(stores: Stores, query: ReceiptQuery): Promise<string[]> {
  return (await stores.receipts.list(query)).map(({ callId }) => callId);
}

const receiptCases: readonly StoreCase[] = [
  {
    name: 'a receipt comes back field by field',
    run: withStores(async (stores) => {
      const full = sampleReceipt({ callId: 'full' });
      const bare = sampleReceipt({
        callId: 'bare',
        toolId: null,
        toolDigest: null,
        mutation: null,
        inputHash: null,
        decision: null,
        status: 'ok',
        errorCode: null,
        phase: 'return',
        durationMs: 0,
        idempotencyKey: null,
      });
      await stores.receipts.append(full);
      await stores.receipts.append(bare);
      assert.deepEqual(await stores.receipts.get('full'), full);
      assert.deepEqual(await stores.receipts.get('bare'), bare);
      assert.deepEqual(await stores.receipts.list({ limit: 10 }), [bare, full]);
      assert.equal(await stores.receipts.get('neither'), undefined);
    }),
  },
  {
    name: 'every character survives in every field of a receipt, and in the filters',
    run: withStores(async (stores) => {
      const texts = [
        'nul \u0000 inside',
        'nul \\u0000 spelled out',
        'half a pair \ud83d and the other \ude00',
        'whole pair 😀 and e\u0301 against é',
        `quotes ' " \` and \\ and %_?$1`,
        'line\r\nbreaks\tand \u007f \u2028 \ufeff',
        '',
      ];
      const receipts = texts.map((text, at) =>
        sampleReceipt({
          callId: `${at}${text}`,
          traceId: text,
          principalId: text,
          surface: text,
          requested: text,
          toolId: text,
          toolDigest: text,
          inputHash: text,
          idempotencyKey: text,
          decision: {
            effect: 'deny',
            reasons: [{ rule: text, effect: 'not_evaluated', text }],
            obligations: [{ kind: text, text }],
          },
        }),
      );
      for (const receipt of receipts) await stores.receipts.append(receipt);
      for (const receipt of receipts) {
        const { callId, principalId } = receipt;
        assert.deepEqual(await stores.receipts.get(callId), receipt);
        assert.deepEqual(await stores.receipts.list({ principalId, toolId: principalId, limit: 10 }), [
          receipt,
        ]);
      }
    }),
  },
  {
    name: 'identifiers that differ in case only are different ones',
    run: withStores(async (stores) => {
      await stores.receipts.append(sampleReceipt({ callId: 'call', principalId: 'Ann', toolId: 'a:Read' }));
      await stores.receipts.append(sampleReceipt({ callId: 'CALL', principalId: 'ann', toolId: 'a:read' }));
      assert.equal((await stores.receipts.get('CALL'))?.principalId, 'ann');
      assert.deepEqual(await callIds(stores, { principalId: 'Ann', limit: 10 }), ['call']);
      assert.deepEqual(await callIds(stores, { toolId: 'a:read', limit: 10 }), ['CALL']);
    }),
  },
  {
    name: 'a second receipt of one call is refused alone, and the first stays',
    run: withStores(async (stores) => {
      const first = sampleReceipt({ callId: 'one', requested: 'first' });
      await stores.receipts.append(first);
      await assert.rejects(
        stores.receipts.append(sampleReceipt({ callId: 'one', requested: 'second' })),
        Error,
      );
      const together = await Promise.allSettled(
        ['two', 'one', 'three', 'two'].map((callId, at) =>
          stores.receipts.append(sampleReceipt({ callId, requested: `together ${at}` })),
        ),
      );
      assert.deepEqual(
        together.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
      );
      assert.deepEqual(await stores.receipts.get('one'), first);
      assert.equal((await stores.receipts.get('two'))?.requested, 'together 0');
      assert.deepEqual(await callIds(stores, { limit: 10 }), ['three', 'two', 'one']);
    }),
  },
  {
    name: 'pages run from the newest to the oldest without gaps or repeats, also while others are written',
    run: withStores(async (stores) => {
      const at = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z'];
      const expected: string[] = [];
      for (let n = 0; n < 25; n++) {
        await stores.receipts.append(sampleReceipt({ callId: `call-${n}`, at: at[n < 15 ? 0 : 1]! }));
        expected.unshift(`call-${n}`);
      }
      const seen: string[] = [];
      for (let page = await callIds(stores, { limit: 4 }); page.length > 0; ) {
        seen.push(...page);
        await stores.receipts.append(sampleReceipt({ callId: `late-${seen.length}`, at: at[1]! }));
        page = await callIds(stores, { limit: 4, before: seen.at(-1)! });
      }
      assert.deepEqual(seen, expected);
    }),
  },
  {
    name: 'filters narrow a listing, alone, together and across pages',
    run: withStores(async (stores) => {
      const statuses = ['ok', 'failed', 'pending', 'dry_run'] as const;
      const all = Array.from({ length: 48 }, (_, n) =>
        sampleReceipt({
          callId: `call-${n}`,
          principalId: `principal-${n % 3}`,
          toolId: n % 2 === 0 ? 'a:b' : null,
          status: statuses[Math.floor(n / 6) % 4]!,
        }),
      );
      for (const receipt of all) await stores.receipts.append(receipt);
      const filters = [
        { principalId: 'principal-1' },
        { toolId: 'a:b' },
        { status: 'dry_run' },
        { principalId: 'principal-2', toolId: 'a:b', status: 'failed' },
        { principalId: 'nobody' },
      ] as const;
      for (const filter of filters) {
        const expected = all.filter((receipt) =>
          Object.entries(filter).every(([key, value]) => receipt[key as keyof Receipt] === value),
        );
        const found = await stores.receipts.list({ ...filter, limit: 100 });
        assert.deepEqual(found, expected.toReversed());
        if (found.length < 3) continue;
        const rest = await stores.receipts.list({ ...filter, before: found[1]!.callId, limit: 100 });
        assert.deepEqual(rest, found.slice(2));
      }
    }),
  },
  {
    name: '200 receipts appended at once are all kept, in the order in which they came',
    run: withStores(async (stores) => {
      const ids = Array.from({ length: 200 }, (_, n) => `call-${n}`);
      await Promise.all(ids.map((callId) => stores.receipts.append(sampleReceipt({ callId }))));
      assert.deepEqual(await callIds(stores, { limit: 500 }), ids.toReversed());
    }),
  },
];

const lifetimeCases: readonly StoreCase[] = [
  {
    name: 'close waits for what is in flight, and what was stored is there after a reopening',
    run: async (open) => {
      const ids = Array.from({ length: 30 }, (_, n) => `call-${n}`);
      const artifacts = ids.map((id) => sampleArtifact(id));
      const first = await open();
      const inFlight = Promise.all([
        ...ids.map((callId) => first.receipts.append(sampleReceipt({ callId }))),
        ...artifacts.map((artifact) => first.artifacts.put('ann', artifact, LASTING)),
      ]);
      await Promise.all([first.close(), inFlight]);
      await assert.rejects(first.receipts.append(sampleReceipt({ callId: 'too late' })), Error);

      await withStores(async (second) => {
        assert.deepEqual(await callIds(second, { limit: 100 }), ids.toReversed());
        assert.ok((await held(second, 'ann', artifacts)).every(Boolean));
        await assert.rejects(second.receipts.append(sampleReceipt({ callId: 'call-0' })), Error);
        await second.receipts.append(sampleReceipt({ callId: 'newest' }));
        assert.deepEqual(await callIds(second, { limit: 2 }), ['newest', 'call-29']);
      })(open);
    },
  },
];

/**
 * The obligations on the comments of the store ports, as cases for any test runner:
 * `for (const { name, run } of storeSuite) test(name, () => run(open))`.
 *
 * Each case needs storage of its own, empty at first. `open` opens it, and opens the same again after a `close`. A case
 * closes what it opens.
 */
export const storeSuite: readonly StoreCase[] = [
  ...receiptCases,
  ...artifactCases,
  ...usageCases,
  ...idempotencyCases,
  ...lifetimeCases,
];
