import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/embedded-postgres.ts';
import { folderWith } from '../../../test/folder.ts';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Claim } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { openPostgresStores } from '../../stores/postgres/open.ts';
import { openSqliteStores } from '../../stores/sqlite/open.ts';
import { sampleReceipt } from '../../toolkit/store-cases/samples.ts';
import { tellOfLostCalls } from './lost-calls.ts';
import { settle } from './resolve-call.ts';

function ifLost(callId: string): Receipt {
  return sampleReceipt({ callId, status: 'unknown', errorCode: null, phase: 'execute', source: null });
}

function claimOf(callId: string): Claim {
  return { scope: `key-of-${callId}`, callId, inputHash: 'h', windowMs: 3_600_000, ifLost: ifLost(callId) };
}

async function intend(stores: Stores, ...callIds: readonly string[]): Promise<void> {
  for (const callId of callIds) {
    await stores.claims.claim(claimOf(callId));
    await stores.claims.intend(`key-of-${callId}`, callId);
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
  const listed = ({ receipts }: Stores): Promise<readonly Receipt[]> => receipts.list({ limit: 100 });

  it('is told of as unknown, never as failed or done, in the words that the call left behind', () =>
    afterDeath(
      (stores) => intend(stores, 'a'),
      async (stores) => {
        await tellOfLostCalls(stores);
        expect(await listed(stores)).toEqual([ifLost('a')]);
        expect((await listed(stores))[0]).toMatchObject({ status: 'unknown', errorCode: null });
        expect(await stores.claims.lost()).toEqual([]);
        // Somebody still has to look.
        expect(await stores.claims.unresolved(10)).toMatchObject([{ receipt: { callId: 'a' } }]);
      },
    ));

  it('is told of once, however often somebody starts', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores, open) => {
        await tellOfLostCalls(stores);
        await tellOfLostCalls(stores);
        const third = await open();
        await tellOfLostCalls(third);
        await third.close();
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
      },
    ));

  it('is told of once where several start at the same moment', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b', 'c'),
      async (stores, open) => {
        const others = await Promise.all([open(), open(), open()]);
        await Promise.allSettled([stores, ...others, stores].map(tellOfLostCalls));
        expect((await listed(stores)).map(({ callId }) => callId).sort()).toEqual(['a', 'b', 'c']);
        expect(await stores.claims.lost()).toEqual([]);
        await Promise.all(others.map((other) => other.close()));
      },
    ));

  it('is told of again, and still once, where the telling itself was cut short', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores) => {
        const told = () => Promise.reject(new Error('cut short'));
        await expect(tellOfLostCalls({ ...stores, claims: { ...stores.claims, told } })).rejects.toThrow();
        expect(await listed(stores)).toHaveLength(1);
        await tellOfLostCalls(stores);
        expect((await listed(stores)).map(({ callId }) => callId)).toEqual(['b', 'a']);
        expect(await stores.claims.lost()).toEqual([]);
      },
    ));

  it('is not told of where the call has told how it ended itself', () =>
    afterDeath(
      async (stores) => {
        await intend(stores, 'a');
        await stores.receipts.append({ ...ifLost('a'), status: 'ok', source: 'compute' });
      },
      async (stores) => {
        await tellOfLostCalls(stores);
        expect(await listed(stores)).toMatchObject([{ callId: 'a', status: 'ok' }]);
        expect(await stores.claims.lost()).toEqual([]);
      },
    ));

  it('is told of before an operator settles it, and the settlement has a receipt of its own', () =>
    afterDeath(
      (stores) => intend(stores, 'a', 'b'),
      async (stores) => {
        const settlement = { callId: 'a', verdict: 'did_not_happen', by: 'operator:ann' } as const;
        const receipt = await settle(stores, settlement, makeRuleSet());
        expect(await listed(stores)).toEqual([receipt, ifLost('a')]);
        expect(receipt).toMatchObject({ principalId: 'operator:ann', surface: 'settle', status: 'ok' });
        expect(await settle(stores, settlement, makeRuleSet())).toBeUndefined();
        expect(await stores.claims.unresolved(10)).toMatchObject([{ receipt: { callId: 'b' } }]);
        expect((await stores.claims.claim({ ...claimOf('c'), scope: 'key-of-a' })).state).toBe('mine');
      },
    ));

  it('is not told of where nothing was intended, where it was sealed, and where its caller was told', () =>
    afterDeath(
      async (stores) => {
        await stores.claims.claim(claimOf('claimed'));
        await intend(stores, 'sealed', 'doubted', 'released');
        await stores.claims.seal('key-of-sealed', 'sealed', '{}');
        await stores.claims.doubt('key-of-doubted', 'doubted');
        await stores.claims.release('key-of-released', 'released');
      },
      async (stores) => {
        await tellOfLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));

  it('is not told of a call whose process is alive', () =>
    afterDeath(
      async () => {},
      async (stores, open) => {
        const alive = await open();
        await intend(alive, 'a');
        await tellOfLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
        await alive.claims.seal('key-of-a', 'a', '{}');
        await alive.close();
        await tellOfLostCalls(stores);
        expect(await listed(stores)).toEqual([]);
      },
    ));
});
