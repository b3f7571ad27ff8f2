import assert from 'node:assert/strict';
import type { ClaimRequest } from '../../contract/ports/idempotency-store.ts';
import { callIds, intentOf, resolutionOf } from './log-samples.ts';
import { sampleEntry, sampleReceipt } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

const OLD = '2026-01-01T12:00:00.000Z';
const CUTOFF = '2026-02-01T00:00:00.000Z';
const BY_ANN = { before: CUTOFF, principalId: 'operator:ann' };

function claimOf(callId: string): ClaimRequest {
  const crashReceipt = sampleReceipt({ callId, status: 'unknown', at: OLD });
  return { scope: callId, callId, inputHash: 'h', windowMs: 3_600_000, crashReceipt, hasIntent: true };
}

/** The obligations of `ReceiptLog` for retention. */
export const pruningCases: readonly StoreCase[] = [
  {
    name: 'receipt log: a prune removes older entries of every kind, in as many steps as it takes, and is recorded',
    run: withStores(async (stores) => {
      const { receipts } = stores;
      const old = Array.from({ length: 450 }, (_, n) => `old-${n}`);
      await Promise.all(old.map((callId) => receipts.append(sampleEntry({ callId, at: OLD }))));
      await receipts.append(intentOf('old-0', { at: OLD }));
      await receipts.append(resolutionOf('old-0', { at: OLD }));
      await receipts.append(sampleEntry({ callId: 'new', at: CUTOFF }));
      assert.equal(await receipts.prune({ ...BY_ANN, dryRun: true }), 452);
      assert.equal((await receipts.read(0, 1_000)).length, 453);
      assert.equal(await receipts.prune(BY_ANN), 452);
      const [call, operator, ...rest] = await receipts.read(0, 1_000);
      assert.deepEqual(rest, []);
      assert.equal(call?.kind === 'call' && call.receipt.callId, 'new');
      assert.ok(operator?.kind === 'operator');
      assert.equal(operator.action, 'prune');
      assert.equal(operator.principalId, 'operator:ann');
      assert.deepEqual(operator.details, { before: CUTOFF, removed: 452 });
      assert.deepEqual(await callIds(stores, { limit: 10 }), ['prune', 'new']);
      assert.equal(await receipts.get('old-0'), undefined);
    }),
  },
  {
    name: 'receipt log: a prune that finds nothing leaves no entry',
    run: withStores(async ({ receipts }) => {
      await receipts.append(sampleEntry({ callId: 'new' }));
      assert.equal(await receipts.prune(BY_ANN), 0);
      assert.equal((await receipts.read(0, 10)).length, 1);
    }),
  },
  {
    name: 'receipt log: sequence numbers are not assigned again after a prune of the whole log',
    run: withStores(async ({ receipts }) => {
      const last = await receipts.append(sampleEntry({ callId: 'old', at: OLD }));
      const inTheFuture = new Date(Date.now() + 3_600_000).toISOString();
      assert.equal(await receipts.prune({ ...BY_ANN, before: inTheFuture }), 1);
      const [operator, ...rest] = await receipts.read(0, 10);
      assert.ok(operator?.kind === 'operator' && operator.seq > last);
      assert.deepEqual(rest, []);
      assert.ok((await receipts.append(sampleEntry({ callId: 'next' }))) > operator.seq);
    }),
  },
  {
    name: 'receipt log: entries of calls that run or are unresolved are never pruned',
    run: withStores(async (stores) => {
      const { receipts, idempotency } = stores;
      for (const callId of ['running', 'unknown', 'done']) {
        await idempotency.claim(claimOf(callId));
        await receipts.append(intentOf(callId, { at: OLD }));
      }
      await idempotency.markUnknown('unknown', 'unknown');
      await idempotency.complete('done', 'done', 'result');
      for (const callId of ['unknown', 'done']) await receipts.append(sampleEntry({ callId, at: OLD }));
      assert.equal(await receipts.prune({ ...BY_ANN, dryRun: true }), 2);
      assert.equal(await receipts.prune(BY_ANN), 2);
      assert.deepEqual((await receipts.entriesOf('done')).length, 0);
      assert.deepEqual((await receipts.entriesOf('running')).length, 1);
      assert.deepEqual((await receipts.entriesOf('unknown')).length, 2);
      await idempotency.resolve('unknown', 'not_executed', '');
      assert.equal(await receipts.prune(BY_ANN), 2);
      assert.deepEqual((await receipts.entriesOf('unknown')).length, 0);
    }),
  },
];
