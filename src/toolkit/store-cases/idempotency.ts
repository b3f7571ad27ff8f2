import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Claim } from '../../contract/ports/idempotency-store.ts';
import { sampleReceipt } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

const HOUR_MS = 3_600_000;

function claimOf(callId: string, more: Partial<Claim> = {}): Claim {
  const ifLost: Receipt = sampleReceipt({ callId, status: 'unknown', errorCode: null, phase: 'execute' });
  return { scope: 'order-41', callId, inputHash: 'h', windowMs: HOUR_MS, ifLost, ...more };
}

/** The obligations of `ClaimStore`. A store that is closed with keys in its hands stands for a process that died. */
export const claimCases: readonly StoreCase[] = [
  {
    name: 'a key is given to one of many that ask at the same moment',
    run: async (open) => {
      const nodes = [await open(), await open()];
      const asked = Array.from({ length: 40 }, (_, i) => nodes[i % 2]!.claims.claim(claimOf(`call-${i}`)));
      const answers = await Promise.all(asked);
      assert.equal(answers.filter(({ state }) => state === 'mine').length, 1);
      assert.equal(answers.filter(({ state }) => state === 'running').length, 39);
      await Promise.all(nodes.map((node) => node.close()));
    },
  },
  {
    name: 'a key that is done answers with its result, to the character, and to every node',
    run: async (open) => {
      const [one, two] = [await open(), await open()];
      const result = '{"text":"nul \u0000, half \ud83d, é, \\u0000"}';
      assert.deepEqual(await one.claims.claim(claimOf('first')), { state: 'mine' });
      assert.equal(await one.claims.intend('order-41', 'first'), true);
      assert.deepEqual(await two.claims.claim(claimOf('second', { inputHash: 'other' })), {
        state: 'running',
        callId: 'first',
        inputHash: 'h',
      });
      await one.claims.seal('order-41', 'first', result);
      assert.deepEqual(await two.claims.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result,
      });
      assert.deepEqual(await two.claims.claim(claimOf('fourth', { scope: 'order-42' })), { state: 'mine' });
      await one.close();
      await two.close();
    },
  },
  {
    name: 'a key can be sealed without an intent, by its holder and nobody else',
    run: withStores(async ({ claims }) => {
      await claims.claim(claimOf('first'));
      await claims.seal('order-41', 'second', 'not its own');
      assert.equal((await claims.claim(claimOf('second'))).state, 'running');
      await claims.seal('order-41', 'first', 'known before');
      assert.deepEqual(await claims.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'known before',
      });
    }),
  },
  {
    name: 'a key that was released is free, and only its holder can release it',
    run: withStores(async ({ claims }) => {
      await claims.claim(claimOf('first'));
      await claims.release('order-41', 'second');
      assert.equal((await claims.claim(claimOf('second'))).state, 'running');
      await claims.intend('order-41', 'first');
      await claims.release('order-41', 'first');
      assert.equal((await claims.claim(claimOf('third'))).state, 'mine');
      assert.equal(await claims.intend('order-41', 'first'), false);
      await claims.seal('order-41', 'first', 'late');
      assert.equal((await claims.claim(claimOf('fourth'))).state, 'running');
    }),
  },
  {
    name: 'what is done is forgotten after its window, and what is unknown is not',
    run: withStores(async ({ claims }) => {
      for (const scope of ['a', 'b']) {
        await claims.claim(claimOf(scope, { scope, windowMs: 30 }));
        await claims.intend(scope, scope);
      }
      await claims.seal('a', 'a', 'result');
      await claims.doubt('b', 'b');
      await pause(80);
      assert.equal((await claims.claim(claimOf('again-a', { scope: 'a' }))).state, 'mine');
      assert.deepEqual(await claims.claim(claimOf('again-b', { scope: 'b' })), {
        state: 'unknown',
        callId: 'b',
        inputHash: 'h',
      });
    }),
  },
  {
    name: 'a process that died before it intended anything leaves its key to the next one',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.claims.claim(claimOf('first'));
      await dead.close();
      assert.equal((await alive.claims.claim(claimOf('second'))).state, 'mine');
      assert.equal(await alive.claims.intend('order-41', 'first'), false);
      assert.equal(await alive.claims.intend('order-41', 'second'), true);
      assert.deepEqual(await alive.claims.lost(), []);
      await alive.close();
    },
  },
  {
    name: 'a process that died between intent and result leaves a call that nobody knows the end of',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.claims.claim(claimOf('first'));
      await dead.claims.intend('order-41', 'first');
      await dead.close();
      assert.deepEqual(await alive.claims.claim(claimOf('second')), {
        state: 'unknown',
        callId: 'first',
        inputHash: 'h',
      });
      const { ifLost } = claimOf('first');
      assert.deepEqual(await alive.claims.lost(), [ifLost]);
      assert.deepEqual(await alive.claims.lost(), [ifLost]);
      await alive.claims.told('first');
      assert.deepEqual(await alive.claims.lost(), []);
      assert.deepEqual(await alive.claims.unresolved(10), [{ scope: 'order-41', receipt: ifLost }]);
      await alive.close();
    },
  },
  {
    name: 'a key that nobody else can ask for may be claimed and intended at once',
    run: async (open) => {
      const [dead, alive] = [await open(), await open()];
      await dead.claims.claim(claimOf('done', { scope: 'a', intended: true }));
      await dead.claims.release('a', 'done');
      await dead.claims.claim(claimOf('lost', { scope: 'b', intended: true }));
      await dead.close();
      assert.deepEqual(
        (await alive.claims.lost()).map(({ callId }) => callId),
        ['lost'],
      );
      await alive.close();
    },
  },
  {
    name: 'the one who intended may still say how it ended, after it was given up for dead',
    run: async (open) => {
      const [slow, other] = [await open(), await open()];
      await slow.claims.claim(claimOf('first'));
      await slow.claims.intend('order-41', 'first');
      await other.claims.doubt('order-41', 'first');
      assert.equal((await other.claims.claim(claimOf('second'))).state, 'unknown');
      await slow.claims.seal('order-41', 'first', 'it did');
      assert.deepEqual(await other.claims.claim(claimOf('third')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'it did',
      });
      await slow.claims.seal('order-41', 'first', 'it was undone');
      await other.claims.seal('order-41', 'third', 'not its own');
      assert.deepEqual(await other.claims.claim(claimOf('fourth')), {
        state: 'done',
        callId: 'first',
        inputHash: 'h',
        result: 'it was undone',
      });
      assert.deepEqual(await other.claims.unresolved(10), []);
      await slow.close();
      await other.close();
    },
  },
  {
    name: 'an operator settles what is unknown, once, and nothing else',
    run: withStores(async ({ claims }) => {
      for (const scope of ['a', 'b', 'c']) {
        await claims.claim(claimOf(scope, { scope }));
        await claims.intend(scope, scope);
        if (scope !== 'c') await claims.doubt(scope, scope);
      }
      assert.equal((await claims.unresolved(1)).length, 1);
      assert.equal(await claims.settle('a', 'happened', 'by hand'), true);
      assert.equal(await claims.settle('a', 'happened', 'again'), false);
      assert.equal(await claims.settle('b', 'did_not_happen', ''), true);
      assert.equal(await claims.settle('c', 'happened', 'still running'), false);
      assert.equal(await claims.settle('nobody', 'happened', ''), false);
      assert.deepEqual(await claims.claim(claimOf('again-a', { scope: 'a' })), {
        state: 'done',
        callId: 'a',
        inputHash: 'h',
        result: 'by hand',
      });
      assert.equal((await claims.claim(claimOf('again-b', { scope: 'b' }))).state, 'mine');
      assert.deepEqual(await claims.unresolved(10), []);
    }),
  },
];
