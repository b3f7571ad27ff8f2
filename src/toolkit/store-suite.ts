import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Artifact } from '../contract/ports/artifacts.ts';
import type { ReceiptQuery } from '../contract/ports/receipts.ts';
import type { Stores } from '../contract/ports/stores.ts';
import type { Receipt } from '../contract/receipt.ts';
import { claimCases } from './store-cases/claims.ts';
import { sampleReceipt } from './store-cases/samples.ts';
import { type StoreCase, withStores } from './store-cases/store-case.ts';
import { usageCases } from './store-cases/usage.ts';

export { type StoreCase, sampleReceipt };

/** An artifact with the handle and the digest that its bytes call for. */
export function sampleArtifact(content: string | Uint8Array): Artifact {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType: 'text/plain', bytes };
}

const LASTING = { ttlMs: 3_600_000, quotaBytes: 1_000_000 };

async function callIds(stores: Stores, query: ReceiptQuery): Promise<string[]> {
  return (await stores.receipts.list(query)).map(({ callId }) => callId);
}

async function held(stores: Stores, owner: string, artifacts: readonly Artifact[]): Promise<boolean[]> {
  return Promise.all(
    artifacts.map(async ({ handle }) => (await stores.artifacts.get(owner, handle)) !== undefined),
  );
}

function sameArtifact(actual: Artifact | undefined, expected: Artifact): void {
  assert.ok(actual, `nothing under ${expected.handle}`);
  assert.ok(actual.bytes instanceof Uint8Array);
  const comparable = ({ bytes, ...rest }: Artifact) => ({ ...rest, hex: Buffer.from(bytes).toString('hex') });
  assert.deepEqual(comparable(actual), comparable(expected));
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

const artifactCases: readonly StoreCase[] = [
  {
    name: 'an artifact comes back byte by byte',
    run: withStores(async (stores) => {
      const everyByte = sampleArtifact(Uint8Array.from({ length: 70_000 }, (_, at) => at % 256));
      const strange = { ...sampleArtifact(''), mediaType: 'text/x; name="\u0000 \ud800"' };
      // A window on a larger buffer: the bytes around it are nobody's.
      const window = sampleArtifact(new Uint8Array([9, 8, 7, 6, 5]).subarray(1, 4));
      for (const artifact of [everyByte, strange, window]) {
        await stores.artifacts.put('ann', artifact, LASTING);
        sameArtifact(await stores.artifacts.get('ann', artifact.handle), artifact);
      }
    }),
  },
  {
    name: 'an artifact is there for its owner only',
    run: withStores(async (stores) => {
      const artifact = sampleArtifact('for ann');
      await stores.artifacts.put('ann', artifact, LASTING);
      for (const other of ['bob', 'Ann', 'ann\u0000', 'ann ', '', '%']) {
        assert.equal(await stores.artifacts.get(other, artifact.handle), undefined);
      }
      assert.equal(await stores.artifacts.get('ann', sampleArtifact('unknown').handle), undefined);
      assert.equal(await stores.artifacts.get('ann', artifact.handle.toUpperCase()), undefined);
      await stores.artifacts.put('ann\u0000', artifact, LASTING);
      sameArtifact(await stores.artifacts.get('ann\u0000', artifact.handle), artifact);
    }),
  },
  {
    name: 'other bytes under a taken handle are refused, and the first stay',
    run: withStores(async (stores) => {
      const first = sampleArtifact('first');
      const impostor = { ...sampleArtifact('other'), handle: first.handle };
      await stores.artifacts.put('ann', first, LASTING);
      await assert.rejects(stores.artifacts.put('ann', impostor, LASTING), Error);
      sameArtifact(await stores.artifacts.get('ann', first.handle), first);
      await stores.artifacts.put('bob', impostor, LASTING);
      sameArtifact(await stores.artifacts.get('bob', first.handle), impostor);
    }),
  },
  {
    name: 'an expired artifact is gone and takes no room; storing it again renews it',
    run: withStores(async (stores) => {
      const [brief, renewed, steady] = ['brief', 'renewed', 'steady'].map(sampleArtifact);
      await stores.artifacts.put('ann', steady!, LASTING);
      await stores.artifacts.put('ann', brief!, { ...LASTING, ttlMs: 20 });
      await stores.artifacts.put('ann', renewed!, { ...LASTING, ttlMs: 20 });
      await stores.artifacts.put('ann', renewed!, LASTING);
      await pause(100);
      assert.deepEqual(await held(stores, 'ann', [brief!, renewed!, steady!]), [false, true, true]);
      const next = sampleArtifact('next');
      const quotaBytes = [renewed!, steady!, next].reduce((sum, { bytes }) => sum + bytes.length, 0);
      await stores.artifacts.put('ann', next, { ...LASTING, quotaBytes });
      assert.deepEqual(await held(stores, 'ann', [renewed!, steady!, next]), [true, true, true]);
      await stores.artifacts.put('ann', brief!, LASTING);
      sameArtifact(await stores.artifacts.get('ann', brief!.handle), brief!);
    }),
  },
  {
    name: 'the least recently stored artifacts of the owner make room for a new one',
    run: withStores(async (stores) => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => sampleArtifact(text.repeat(30)));
      const all = [a!, b!, c!, d!];
      const options = { ...LASTING, quotaBytes: 100 };
      await stores.artifacts.put('bob', a!, options);
      for (const artifact of [a!, b!, c!, a!]) await stores.artifacts.put('ann', artifact, options);
      assert.deepEqual(await held(stores, 'ann', all), [true, true, true, false]);
      await stores.artifacts.put('ann', d!, options);
      assert.deepEqual(await held(stores, 'ann', all), [true, false, true, true]);

      const whole = sampleArtifact('w'.repeat(100));
      await stores.artifacts.put('ann', whole, options);
      assert.deepEqual(await held(stores, 'ann', [...all, whole]), [false, false, false, false, true]);
      await assert.rejects(stores.artifacts.put('ann', sampleArtifact('x'.repeat(101)), options), Error);
      assert.deepEqual(await held(stores, 'ann', [whole]), [true]);
      assert.deepEqual(await held(stores, 'bob', [a!]), [true]);
    }),
  },
  {
    name: 'puts at the same moment agree on one handle and stay within the quota',
    run: withStores(async (stores) => {
      const same = sampleArtifact('the same');
      await Promise.all(Array.from({ length: 20 }, () => stores.artifacts.put('ann', same, LASTING)));
      sameArtifact(await stores.artifacts.get('ann', same.handle), same);

      const many = Array.from({ length: 20 }, (_, n) => sampleArtifact(String(n).padStart(10)));
      await Promise.all(
        many.map((artifact) => stores.artifacts.put('bob', artifact, { ...LASTING, quotaBytes: 50 })),
      );
      assert.equal((await held(stores, 'bob', many)).filter(Boolean).length, 5);
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
  ...claimCases,
  ...lifetimeCases,
];
