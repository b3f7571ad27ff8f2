import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { sampleArtifact } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

export const LASTING = { ttlMs: 3_600_000, quotaBytes: 1_000_000 };

export async function areStored(
  stores: Stores,
  owner: string,
  artifacts: readonly Artifact[],
): Promise<boolean[]> {
  return Promise.all(
    artifacts.map(async ({ handle }) => (await stores.artifacts.get(owner, handle)) !== undefined),
  );
}

function assertArtifact(actual: Artifact | undefined, expected: Artifact): void {
  assert.ok(actual, `no artifact has the handle ${expected.handle}`);
  assert.ok(actual.bytes instanceof Uint8Array);
  const comparable = ({ bytes, ...rest }: Artifact) => ({ ...rest, hex: Buffer.from(bytes).toString('hex') });
  assert.deepEqual(comparable(actual), comparable(expected));
}

export const artifactCases: readonly StoreCase[] = [
  {
    name: 'artifacts: an artifact comes back byte by byte',
    run: withStores(async (stores) => {
      const everyByte = sampleArtifact(Uint8Array.from({ length: 70_000 }, (_, at) => at % 256));
      const strange = { ...sampleArtifact(''), mediaType: 'text/x; name="\u0000 \ud800"' };
      // A view of a larger buffer: the bytes around it do not belong to the artifact.
      const view = sampleArtifact(new Uint8Array([9, 8, 7, 6, 5]).subarray(1, 4));
      for (const artifact of [everyByte, strange, view]) {
        await stores.artifacts.put('ann', artifact, LASTING);
        assertArtifact(await stores.artifacts.get('ann', artifact.handle), artifact);
      }
    }),
  },
  {
    name: 'artifacts: only the owner can read an artifact',
    run: withStores(async (stores) => {
      const artifact = sampleArtifact('for ann');
      await stores.artifacts.put('ann', artifact, LASTING);
      for (const other of ['bob', 'Ann', 'ann\u0000', 'ann ', '', '%']) {
        assert.equal(await stores.artifacts.get(other, artifact.handle), undefined);
      }
      assert.equal(await stores.artifacts.get('ann', sampleArtifact('unknown').handle), undefined);
      assert.equal(await stores.artifacts.get('ann', artifact.handle.toUpperCase()), undefined);
      await stores.artifacts.put('ann\u0000', artifact, LASTING);
      assertArtifact(await stores.artifacts.get('ann\u0000', artifact.handle), artifact);
    }),
  },
  {
    name: 'artifacts: other bytes under an existing handle are rejected, and the first stay',
    run: withStores(async (stores) => {
      const first = sampleArtifact('first');
      const impostor = { ...sampleArtifact('other'), handle: first.handle };
      await stores.artifacts.put('ann', first, LASTING);
      await assert.rejects(stores.artifacts.put('ann', impostor, LASTING), Error);
      assertArtifact(await stores.artifacts.get('ann', first.handle), first);
      await stores.artifacts.put('bob', impostor, LASTING);
      assertArtifact(await stores.artifacts.get('bob', first.handle), impostor);
    }),
  },
  {
    name: 'artifacts: the same bytes with another media type keep the first media type',
    run: withStores(async (stores) => {
      const table = { ...sampleArtifact('a,b\n1,2'), mediaType: 'text/csv' };
      await stores.artifacts.put('ann', table, LASTING);
      await stores.artifacts.put('ann', { ...table, mediaType: 'application/pdf' }, LASTING);
      assertArtifact(await stores.artifacts.get('ann', table.handle), table);
    }),
  },
  {
    name: 'artifacts: an expired artifact cannot be read and does not count; storing it again renews it',
    run: withStores(async (stores) => {
      const [brief, renewed, steady] = ['brief', 'renewed', 'steady'].map(sampleArtifact);
      await stores.artifacts.put('ann', steady!, LASTING);
      await stores.artifacts.put('ann', brief!, { ...LASTING, ttlMs: 20 });
      await stores.artifacts.put('ann', renewed!, { ...LASTING, ttlMs: 20 });
      await stores.artifacts.put('ann', renewed!, LASTING);
      await pause(100);
      assert.deepEqual(await areStored(stores, 'ann', [brief!, renewed!, steady!]), [false, true, true]);
      const next = sampleArtifact('next');
      const quotaBytes = [renewed!, steady!, next].reduce((sum, { bytes }) => sum + bytes.length, 0);
      await stores.artifacts.put('ann', next, { ...LASTING, quotaBytes });
      assert.deepEqual(await areStored(stores, 'ann', [renewed!, steady!, next]), [true, true, true]);
      await stores.artifacts.put('ann', brief!, LASTING);
      assertArtifact(await stores.artifacts.get('ann', brief!.handle), brief!);
    }),
  },
  {
    name: 'artifacts: a new artifact evicts the least recently stored ones of its owner',
    run: withStores(async (stores) => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => sampleArtifact(text.repeat(30)));
      const all = [a!, b!, c!, d!];
      const options = { ...LASTING, quotaBytes: 100 };
      await stores.artifacts.put('bob', a!, options);
      for (const artifact of [a!, b!, c!, a!]) await stores.artifacts.put('ann', artifact, options);
      assert.deepEqual(await areStored(stores, 'ann', all), [true, true, true, false]);
      await stores.artifacts.put('ann', d!, options);
      assert.deepEqual(await areStored(stores, 'ann', all), [true, false, true, true]);

      const whole = sampleArtifact('w'.repeat(100));
      await stores.artifacts.put('ann', whole, options);
      assert.deepEqual(await areStored(stores, 'ann', [...all, whole]), [false, false, false, false, true]);
      await assert.rejects(stores.artifacts.put('ann', sampleArtifact('x'.repeat(101)), options), Error);
      assert.deepEqual(await areStored(stores, 'ann', [whole]), [true]);
      assert.deepEqual(await areStored(stores, 'bob', [a!]), [true]);
    }),
  },
  {
    name: 'artifacts: concurrent puts share one handle and stay within the quota',
    run: withStores(async (stores) => {
      const same = sampleArtifact('the same');
      await Promise.all(Array.from({ length: 20 }, () => stores.artifacts.put('ann', same, LASTING)));
      assertArtifact(await stores.artifacts.get('ann', same.handle), same);

      const many = Array.from({ length: 20 }, (_, n) => sampleArtifact(String(n).padStart(10)));
      await Promise.all(
        many.map((artifact) => stores.artifacts.put('bob', artifact, { ...LASTING, quotaBytes: 50 })),
      );
      assert.equal((await areStored(stores, 'bob', many)).filter(Boolean).length, 5);
    }),
  },
];
