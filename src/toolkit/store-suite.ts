import assert from 'node:assert/strict';
import { areStored, artifactCases, LASTING } from './store-cases/artifacts.ts';
import { idempotencyCases } from './store-cases/idempotency.ts';
import { entryCases } from './store-cases/log-entries.ts';
import { listingCases } from './store-cases/log-listing.ts';
import { pruningCases } from './store-cases/log-pruning.ts';
import { callIds } from './store-cases/log-samples.ts';
import { sampleArtifact, sampleEntry, sampleReceipt } from './store-cases/samples.ts';
import { type StoreCase, withStores } from './store-cases/store-case.ts';
import { usageCases } from './store-cases/usage.ts';

export { type StoreCase, sampleArtifact, sampleEntry, sampleReceipt };

const lifetimeCases: readonly StoreCase[] = [
  {
    name: 'stores: close waits for writes in flight, and what was stored is there after reopening',
    run: async (open) => {
      const ids = Array.from({ length: 30 }, (_, n) => `call-${n}`);
      const artifacts = ids.map((id) => sampleArtifact(id));
      const first = await open();
      const inFlight = Promise.all([
        ...ids.map((callId) => first.receipts.append(sampleEntry({ callId }))),
        ...artifacts.map((artifact) => first.artifacts.put('ann', artifact, LASTING)),
      ]);
      await Promise.all([first.close(), inFlight]);
      await assert.rejects(first.receipts.append(sampleEntry({ callId: 'late' })), Error);

      await withStores(async (second) => {
        assert.deepEqual(await callIds(second, { limit: 100 }), ids.toReversed());
        assert.ok((await areStored(second, 'ann', artifacts)).every(Boolean));
        await assert.rejects(second.receipts.append(sampleEntry({ callId: 'call-0' })), Error);
        await second.receipts.append(sampleEntry({ callId: 'newest' }));
        assert.deepEqual(await callIds(second, { limit: 2 }), ['newest', 'call-29']);
      })(open);
    },
  },
];

/**
 * The obligations in the comments of the store ports, as cases for any test runner:
 * `for (const { name, run } of storeSuite) test(name, () => run(open))`.
 *
 * Each case needs its own, initially empty storage. `open` opens it, and can open it again, also at the same time. A case
 * closes what it opens.
 */
export const storeSuite: readonly StoreCase[] = [
  ...entryCases,
  ...listingCases,
  ...pruningCases,
  ...artifactCases,
  ...usageCases,
  ...idempotencyCases,
  ...lifetimeCases,
];
