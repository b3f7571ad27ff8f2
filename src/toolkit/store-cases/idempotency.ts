import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { ClaimRequest } from '../../contract/ports/idempotency-store.ts';
import { sampleReceipt } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

const HOUR_MS = 3_600_000;

function claimOf(callId: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  const crashReceipt: Receipt = sampleReceipt({
    callId,
    status: 'unknown',
    errorCode: null,
    phase: 'execute',
  });
  return { scope: 'order-41', callId, inputHash: 'h', windowMs: HOUR_MS, crashReceipt, ...more };
}

/** The obligations of `IdempotencyStore`. A store that is closed while it holds keys stands for a process that died. */
export const idempotencyCases: readonly StoreCase[] = [
  {
    name: 'idempotency: one of many concurrent claims acquires the key',
    run: async (open) => {
      const nodes = [await open(), await open()];
      const claims = Array.from({ length: 40 }, (_, i) =>
        nodes[i % 2]!.idempotency.claim(claimOf(`call-${i}`)),
      );
      const answers = await Promise.all(claims);
      assert.equal(answers.filter(({ state }) => state === 'acquired').length, 1);
      assert.equal(answers.filter(({ state }) => state === 'running').length, 39);
      await Promise.all(nodes.map((node) => node.close()));
    },
  },
  {
    name: 'idempotency: every node gets the exact result of a completed key',
    run: async (open) => {
      const [one, two] = [await open(), await open()];
      const result = '{"text":"nul \u0000, half \ud83d, é, \\u0000"}';
      assert.deepEqual(await one.idempotency.claim(claimOf('first')), { state: 'acquired' });
      assert.equal(await one.idempotency.recordIntent('order-41', 'first'), true);
      assert.deepEqual(await two.idempotency.claim(claimOf('second', { inputHash: 'other' })), {
        state: 'running',
        callId: 'first',
        inputHash: 'h',
      });
      await one.idempotency.complete('order-41', 'first', result);
      assert.deepEqual(await two.idempotency.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result,
      });
      assert.deepEqual(await two.idempotency.claim(claimOf('fourth', { scope: 'order-42' })), {
        state: 'acquired',
      });
      await one.close();
      await two.close();
    },
  },
  {
    name: 'idempotency: only the holder can complete a key, also without an intent',
    run: withStores(async ({ idempotency }) => {
      await idempotency.claim(claimOf('first'));
      await idempotency.complete('order-41', 'second', 'not its own');
      assert.equal((await idempotency.claim(claimOf('second'))).state, 'running');
      await idempotency.complete('order-41', 'first', 'known before');
      assert.deepEqual(await idempotency.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'known before',
      });
    }),
  },
  {
    name: 'idempotency: a released key is free, and only its holder can release it',
    run: withStores(async ({ idempotency }) => {
      await idempotency.claim(claimOf('first'));
      await idempotency.release('order-41', 'second');
      assert.equal((await idempotency.claim(claimOf('second'))).state, 'running');
      await idempotency.recordIntent('order-41', 'first');
      await idempotency.release('order-41', 'first');
      assert.equal((await idempotency.claim(claimOf('third'))).state, 'acquired');
      assert.equal(await idempotency.recordIntent('order-41', 'first'), false);
      await idempotency.complete('order-41', 'first', 'late');
      assert.equal((await idempotency.claim(claimOf('fourth'))).state, 'running');
    }),
  },
  {
    name: 'idempotency: a result expires after its window, and an unknown outcome does not',
    run: withStores(async ({ idempotency }) => {
      for (const scope of ['a', 'b']) {
        await idempotency.claim(claimOf(scope, { scope, windowMs: 30 }));
        await idempotency.recordIntent(scope, scope);
      }
      await idempotency.complete('a', 'a', 'result');
      await idempotency.markUnknown('b', 'b');
      await pause(80);
      assert.equal((await idempotency.claim(claimOf('again-a', { scope: 'a' }))).state, 'acquired');
      assert.deepEqual(await idempotency.claim(claimOf('again-b', { scope: 'b' })), {
        state: 'unknown',
        callId: 'b',
        inputHash: 'h',
      });
    }),
  },
  {
    name: 'idempotency: the key of a process that died before its intent is free',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.idempotency.claim(claimOf('first'));
      await dead.close();
      assert.equal((await alive.idempotency.claim(claimOf('second'))).state, 'acquired');
      assert.equal(await alive.idempotency.recordIntent('order-41', 'first'), false);
      assert.equal(await alive.idempotency.recordIntent('order-41', 'second'), true);
      assert.deepEqual(await alive.idempotency.findLost(), []);
      await alive.close();
    },
  },
  {
    name: 'idempotency: a process that died between intent and result leaves an unknown outcome',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.idempotency.claim(claimOf('first'));
      await dead.idempotency.recordIntent('order-41', 'first');
      await dead.close();
      assert.deepEqual(await alive.idempotency.claim(claimOf('second')), {
        state: 'unknown',
        callId: 'first',
        inputHash: 'h',
      });
      const { crashReceipt } = claimOf('first');
      assert.deepEqual(await alive.idempotency.findLost(), [crashReceipt]);
      assert.deepEqual(await alive.idempotency.findLost(), [crashReceipt]);
      await alive.idempotency.markReported('first');
      assert.deepEqual(await alive.idempotency.findLost(), []);
      assert.deepEqual(await alive.idempotency.listUnresolved(10), [
        { scope: 'order-41', receipt: crashReceipt, isAwaited: false },
      ]);
      await alive.close();
    },
  },
  {
    name: 'idempotency: a claim can record the intent at once',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.idempotency.claim(claimOf('done', { scope: 'a', hasIntent: true }));
      await dead.idempotency.release('a', 'done');
      await dead.idempotency.claim(claimOf('lost', { scope: 'b', hasIntent: true }));
      await dead.close();
      assert.deepEqual(
        (await alive.idempotency.findLost()).map(({ callId }) => callId),
        ['lost'],
      );
      await alive.close();
    },
  },
  {
    name: 'idempotency: a call can complete its key after its process was taken for dead',
    run: async (open) => {
      const [slow, other] = [await open(), await open()];
      await slow.idempotency.claim(claimOf('first'));
      await slow.idempotency.recordIntent('order-41', 'first');
      await other.idempotency.markUnknown('order-41', 'first');
      assert.equal((await other.idempotency.claim(claimOf('second'))).state, 'unknown');
      await slow.idempotency.complete('order-41', 'first', 'executed');
      assert.deepEqual(await other.idempotency.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'executed',
      });
      await slow.idempotency.complete('order-41', 'first', 'compensated');
      await other.idempotency.complete('order-41', 'third', 'not its own');
      assert.deepEqual(await other.idempotency.claim(claimOf('fourth')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'compensated',
      });
      assert.deepEqual(await other.idempotency.listUnresolved(10), []);
      await slow.close();
      await other.close();
    },
  },
  {
    name: 'idempotency: an unknown outcome is awaited by its live process until that stops waiting',
    run: async (open) => {
      const [one, other] = [await open(), await open()];
      await one.idempotency.claim(claimOf('first', { hasIntent: true }));
      assert.equal(await one.idempotency.confirm('order-41', 'first'), true);
      await one.idempotency.markUnknown('order-41', 'first');
      const isAwaited = async (): Promise<boolean[]> =>
        (await other.idempotency.listUnresolved(10)).map((unresolved) => unresolved.isAwaited);
      assert.deepEqual(await isAwaited(), [true]);
      await one.idempotency.stopWaiting('order-41', 'first');
      assert.deepEqual(await isAwaited(), [false]);
      assert.equal((await other.idempotency.claim(claimOf('second'))).state, 'unknown');
      await one.close();
      await other.close();
    },
  },
  {
    name: 'idempotency: an operator resolves an unknown outcome once, and no other call',
    run: withStores(async ({ idempotency }) => {
      for (const scope of ['a', 'b', 'c']) {
        await idempotency.claim(claimOf(scope, { scope }));
        await idempotency.recordIntent(scope, scope);
        if (scope !== 'c') await idempotency.markUnknown(scope, scope);
      }
      assert.equal((await idempotency.listUnresolved(1)).length, 1);
      assert.equal(await idempotency.resolve('a', 'executed', 'by an operator'), true);
      assert.equal(await idempotency.resolve('a', 'executed', 'again'), false);
      assert.equal(await idempotency.resolve('b', 'not_executed', ''), true);
      assert.equal(await idempotency.resolve('c', 'executed', 'still running'), false);
      assert.equal(await idempotency.resolve('missing', 'executed', ''), false);
      assert.deepEqual(await idempotency.claim(claimOf('again-a', { scope: 'a' })), {
        state: 'done',
        callId: 'a',
        inputHash: 'h',
        result: 'by an operator',
      });
      assert.equal((await idempotency.claim(claimOf('again-b', { scope: 'b' }))).state, 'acquired');
      assert.deepEqual(await idempotency.listUnresolved(10), []);
    }),
  },
];
