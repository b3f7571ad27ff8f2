import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/embedded-postgres.ts';
import { folderWith } from '../../../test/folder.ts';
import { listReceipts } from '../../../test/receipts.ts';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Claim } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { openPostgresStores } from '../../stores/postgres/open.ts';
import { openSqliteStores } from '../../stores/sqlite/open.ts';
import { sampleReceipt } from '../../toolkit/store-cases/samples.ts';
import { recordLostCalls } from './lost-calls.ts';
import { resolveCall } from './resolve-call.ts';

function ifLost(callId: string): Receipt {
  return sampleReceipt({ callId, status: 'unknown', errorCode: null, phase: 'execute', source: null });
}

function claimOf(callId: string): Claim {
  return {
    scope: `key-of-${callId}`,
    callId,
    inputHash: 'h',
    windowMs: 3_600_000,
    crashReceipt: ifLost(callId),
  };
}

async function intend(stores: Stores, ...callIds: readonly string[]): Promise<void> {
  for (const callId of callIds) {
    await stores.idempotency.claim(claimOf(callId));
    await stores.idempotency.recordIntent(`key-of-${callId}`, callId);
  }
}

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres?.stop());

/** Opens one more process's view of the same store; closed with keys in its hands it stands for one that died. */
type Open = () => Promise<Stores>;
const ENGINES: readonly [string, () => Promise<Open>][] = [
  [
    'SQLite',
    async () => {
      const file = join(folderWith(), 'toolgate.sqlite');
      return () => openSqliteStores({ file });
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await postgres.createDatabase();
      return () => openPostgresStores({ url });
    },
  ],
];

describe.each(ENGINES)('T31: a crash between intent and result, on %s', (_, engine) => {
  /** What the next process finds after the first one lived and died. */
  async function afterDeath(
    life: (stores: Stores) => Promise<void>,
    test: (stores: Stores, open: Open) => Promise<void>,
  ): Promise<void> {
    const open = await engine();
    const first = await open();
    await life(first);
    await first.close();
    const next = await open();
    try {
      await test(next, open);
    } finally {
      await next.close();
    }
  }
  const listed = ({ receipts }: Stores): Promise<readonly Receipt[]> => listReceipts(receipts);

  it('is markReported of as unknown, never as failed or done, in the words that the call left behind', () =>
    afterDeath(
      (stores) => intend(stores, 'a'),
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([ifLost('a')]);
        expect((await listed(stores))[0]).toMatchObject({ status: 'unknown', errorCode: null });
        expect(await stores.idempotency.findLost()).toEqual([]);
        // Somebody still has to look.
        expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'a' } }]);
      },
    ));

  it('is markReported of once, however often somebody starts', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores, open) => {
        await recordLostCalls(stores);
        await recordLostCalls(stores);
        const third = await open();
        await recordLostCalls(third);
        await third.close();
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
      },
    ));

  it('is markReported of once where several start at the same moment', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b', 'c'),
      async (stores, open) => {
        const others = await Promise.all([open(), open(), open()]);
        await Promise.allSettled([stores, ...others, stores].map(recordLostCalls));
        expect((await listed(stores)).map(({ callId }) => callId).sort()).toEqual(['a', 'b', 'c']);
        expect(await stores.idempotency.findLost()).toEqual([]);
        await Promise.all(others.map((other) => other.close()));
      },
    ));

  it('is markReported of again, and still once, where the telling itself was cut short', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores) => {
        const markReported = () => Promise.reject(new Error('cut short'));
        await expect(
          recordLostCalls({ ...stores, idempotency: { ...stores.idempotency, markReported } }),
        ).rejects.toThrow();
        expect(await listed(stores)).toHaveLength(1);
        await recordLostCalls(stores);
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
        expect(await stores.idempotency.findLost()).toEqual([]);
      },
    ));

  it('is not markReported of where the call has markReported how it ended itself', () =>
    afterDeath(
      async (stores) => {
        await intend(stores, 'a');
        await stores.receipts.append({
          kind: 'call',
          receipt: { ...ifLost('a'), status: 'ok', source: 'compute' },
        });
      },
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toMatchObject([{ callId: 'a', status: 'ok' }]);
        expect(await stores.idempotency.findLost()).toEqual([]);
      },
    ));

  it('is markReported of before an operator settles it, and the settlement has a receipt of its own', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores) => {
        const settlement = { callId: 'a', verdict: 'not_executed', by: 'operator:ann' } as const;
        const entry = await resolveCall(stores, settlement, makeRuleSet());
        expect(await stores.receipts.entriesOf('a')).toEqual([
          { seq: expect.any(Number), kind: 'call', receipt: ifLost('a') },
          entry,
        ]);
        expect(entry).toMatchObject({
          kind: 'resolution',
          callId: 'a',
          traceId: ifLost('a').traceId,
          idempotencyKey: ifLost('a').idempotencyKey,
          principalId: 'operator:ann',
          verdict: 'not_executed',
          reason: null,
        });
        expect(await resolveCall(stores, settlement, makeRuleSet())).toBeUndefined();
        expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'b' } }]);
        expect((await stores.idempotency.claim({ ...claimOf('c'), scope: 'key-of-a' })).state).toBe(
          'acquired',
        );
      },
    ));

  it('is not markReported of where nothing was intended, where it was sealed, and where its caller was told', () =>
    afterDeath(
      async (stores) => {
        await stores.idempotency.claim(claimOf('claimed'));
        await intend(stores, 'sealed', 'doubted', 'released');
        await stores.idempotency.complete('key-of-sealed', 'sealed', '{}');
        await stores.idempotency.markUnknown('key-of-doubted', 'doubted');
        await stores.idempotency.release('key-of-released', 'released');
      },
      async (stores) => {
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));

  it('is not markReported of a call whose process is alive', () =>
    afterDeath(
      async () => {},
      async (stores, open) => {
        const alive = await open();
        await intend(alive, 'a');
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
        await alive.idempotency.complete('key-of-a', 'a', '{}');
        await alive.close();
        await recordLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));
});
