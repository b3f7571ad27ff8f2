import { describe, expect, it } from 'vitest';
import { type TestDatabase, testEngines } from '../../../test/engines.ts';
import { listReceipts } from '../../../test/receipts.ts';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { ClaimRequest } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { sampleReceipt } from '../../toolkit/store-cases/samples.ts';
import { recordLostCalls } from './lost-calls.ts';
import { resolveCall } from './resolve-call.ts';

function crashReceiptOf(callId: string): Receipt {
  return sampleReceipt({ callId, status: 'unknown', errorCode: null, phase: 'execute', source: null });
}

function claimOf(callId: string): ClaimRequest {
  return {
    scope: `key-of-${callId}`,
    callId,
    inputHash: 'h',
    windowMs: 3_600_000,
    crashReceipt: crashReceiptOf(callId),
  };
}

async function recordIntents(stores: Stores, ...callIds: readonly string[]): Promise<void> {
  for (const callId of callIds) {
    await stores.idempotency.claim(claimOf(callId));
    await stores.idempotency.recordIntent(`key-of-${callId}`, callId);
  }
}

describe.each(testEngines())('T31: a crash between intent and result, on $name', ({ create }) => {
  /** Runs a test in the process that starts after the first one died. */
  async function afterCrash(
    before: (stores: Stores) => Promise<void>,
    test: (stores: Stores, database: TestDatabase) => Promise<void>,
  ): Promise<void> {
    const database = await create();
    // Closed while it holds keys, a store stands for a process that died.
    const first = await database.open();
    await before(first);
    await first.close();
    await test(await database.open(), database);
  }
  const listed = ({ receipts }: Stores): Promise<readonly Receipt[]> => listReceipts(receipts);

  it('is recorded as unknown, never as failed or done, with the receipt that the call prepared', () =>
    afterCrash(
      (stores) => recordIntents(stores, 'a'),
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([crashReceiptOf('a')]);
        expect((await listed(stores))[0]).toMatchObject({ status: 'unknown', errorCode: null });
        expect(await stores.idempotency.findLost()).toEqual([]);
        expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'a' } }]);
      },
    ));

  it('is recorded once, however often a process starts', () =>
    afterCrash(
      (stores) => recordIntents(stores, 'a', 'b'),
      async (stores, database) => {
        await recordLostCalls(stores);
        await recordLostCalls(stores);
        await recordLostCalls(await database.open());
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
      },
    ));

  it('is recorded once when several processes start at once', () =>
    afterCrash(
      (stores) => recordIntents(stores, 'a', 'b', 'c'),
      async (stores, database) => {
        const others = await Promise.all([database.open(), database.open(), database.open()]);
        await Promise.allSettled([stores, ...others, stores].map(recordLostCalls));
        expect((await listed(stores)).map(({ callId }) => callId).sort()).toEqual(['a', 'b', 'c']);
        expect(await stores.idempotency.findLost()).toEqual([]);
      },
    ));

  it('is recorded once, also when the recording itself is interrupted', () =>
    afterCrash(
      (stores) => recordIntents(stores, 'a', 'b'),
      async (stores) => {
        const markReported = () => Promise.reject(new Error('interrupted'));
        await expect(
          recordLostCalls({ ...stores, idempotency: { ...stores.idempotency, markReported } }),
        ).rejects.toThrow();
        expect(await listed(stores)).toHaveLength(1);
        await recordLostCalls(stores);
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
        expect(await stores.idempotency.findLost()).toEqual([]);
      },
    ));

  it('is not recorded when the call has recorded its own outcome', () =>
    afterCrash(
      async (stores) => {
        await recordIntents(stores, 'a');
        await stores.receipts.append({
          kind: 'call',
          receipt: { ...crashReceiptOf('a'), status: 'ok', source: 'compute' },
        });
      },
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toMatchObject([{ callId: 'a', status: 'ok' }]);
        expect(await stores.idempotency.findLost()).toEqual([]);
      },
    ));

  it('is recorded before an operator resolves it, and the resolution has its own entry', () =>
    afterCrash(
      (stores) => recordIntents(stores, 'a', 'b'),
      async (stores) => {
        const resolution = { callId: 'a', verdict: 'not_executed', principalId: 'operator:ann' } as const;
        const entry = await resolveCall(stores, resolution, makeRuleSet());
        expect(await stores.receipts.entriesOf('a')).toEqual([
          { seq: expect.any(Number), kind: 'call', receipt: crashReceiptOf('a') },
          entry,
        ]);
        expect(entry).toMatchObject({
          kind: 'resolution',
          callId: 'a',
          traceId: crashReceiptOf('a').traceId,
          idempotencyKey: crashReceiptOf('a').idempotencyKey,
          principalId: 'operator:ann',
          verdict: 'not_executed',
          reason: null,
        });
        expect(await resolveCall(stores, resolution, makeRuleSet())).toBeUndefined();
        expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'b' } }]);
        expect((await stores.idempotency.claim({ ...claimOf('c'), scope: 'key-of-a' })).state).toBe(
          'acquired',
        );
      },
    ));

  it('is not recorded without an intent, or for a completed, unknown or released key', () =>
    afterCrash(
      async (stores) => {
        await stores.idempotency.claim(claimOf('claimed'));
        await recordIntents(stores, 'completed', 'unknown', 'released');
        await stores.idempotency.complete('key-of-completed', 'completed', '{}');
        await stores.idempotency.markUnknown('key-of-unknown', 'unknown');
        await stores.idempotency.release('key-of-released', 'released');
      },
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));

  it('is not recorded for a call whose process is alive', () =>
    afterCrash(
      async () => {},
      async (stores, database) => {
        const alive = await database.open();
        await recordIntents(alive, 'a');
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
        await alive.idempotency.complete('key-of-a', 'a', '{}');
        await alive.close();
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));
});
