import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountingUpstream, countingUpstream } from '../fault/crash/counting-upstream.ts';
import { createCaller } from '../src/contract/call/caller.ts';
import type { Outcome } from '../src/contract/call/outcome.ts';
import type { Receipt } from '../src/contract/call/receipt.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { sampleReceipt } from '../src/toolkit/store-cases/samples.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { openedGateway, type TestGateway, temporaryFolder, textOf, until } from './gateway.ts';
import { listReceipts } from './receipts.ts';

const CALLERS = 64;
const PATIENCE_MS = 180_000;
const CHARGE = '/till/charge';

let till: CountingUpstream;
let postgres: TestPostgres;
beforeAll(async () => {
  till = await countingUpstream();
  postgres = await startPostgres();
}, PATIENCE_MS);
afterAll(async () => {
  await till?.close();
  await postgres?.stop();
});

const upstreams = () => ({ till: { url: till.url } });

interface Engine {
  readonly name: string;
  /** Gateways in one process that share a store. */
  open(settings?: object): Promise<readonly TestGateway[]>;
}

const ENGINES: readonly Engine[] = [
  {
    name: 'one gateway on a SQLite file',
    open: async (settings) => [await openedGateway(upstreams(), { settings: { ...settings } })],
  },
  {
    name: 'two gateways on one PostgreSQL',
    open: async (settings) => {
      const store = { postgres: await postgres.createDatabase() };
      const node = () => openedGateway(upstreams(), { settings: { store, ...settings } });
      return [await node(), await node()];
    },
  },
];

function provenanceOf(outcome: Outcome) {
  return outcome.status === 'ok' || outcome.status === 'failed' ? outcome.provenance : undefined;
}

function errorOf(outcome: Outcome) {
  return outcome.status === 'failed' ? outcome.error : undefined;
}

async function receiptsOf({ gateway }: TestGateway, callIds: readonly string[]): Promise<Receipt[]> {
  const found = await Promise.all(callIds.map((callId) => gateway.receipts.get(callId)));
  return found.filter((receipt) => receipt !== undefined);
}

describe.each(ENGINES)('a key, at $name', ({ name, open }) => {
  const keyOf = (what: string): string => `${what} of ${name}`;

  it('gives one effect to 64 callers at once, and each of them the same answer', async () => {
    const nodes = await open();
    const key = keyOf('order-64');
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) =>
        nodes[i % nodes.length]!.call(CHARGE, { order: key }, { idempotencyKey: key }),
      ),
    );
    expect(till.effectsOf(key)).toBe(1);
    expect(outcomes.map(textOf)).toEqual(outcomes.map(() => `${key} charged`));

    const made = outcomes.filter((outcome) => provenanceOf(outcome)!.source === 'compute');
    expect(made).toHaveLength(1);
    const [{ callId }] = made as [Outcome];
    const replays = outcomes.filter((outcome) => outcome.callId !== callId).map(provenanceOf);
    expect(replays).toHaveLength(CALLERS - 1);
    for (const replay of replays) {
      expect(replay).toEqual({ ...provenanceOf(made[0]!), source: 'replay', replayOf: callId });
    }

    const callIds = outcomes.map((outcome) => outcome.callId);
    expect(new Set(callIds).size).toBe(CALLERS);
    const listed = await listReceipts(nodes[0]!.gateway.receipts);
    expect(listed.map((receipt) => receipt.callId).sort()).toEqual(callIds.sort());
    expect(listed.filter(({ source }) => source === 'replay')).toHaveLength(CALLERS - 1);
    for (const { status, idempotencyKey, source, attempts } of listed) {
      expect([status, idempotencyKey, attempts]).toEqual(['ok', key, source === 'compute' ? 1 : 0]);
    }
    expect(await nodes[0]!.gateway.idempotency.listUnresolved(10)).toEqual([]);
  });

  it('gives one effect a key to many callers with many keys', async () => {
    const nodes = await open();
    const keys = Array.from({ length: 8 }, (_, i) => keyOf(`order-${i}`));
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) => {
        const key = keys[i % keys.length]!;
        const node = nodes[Math.floor(i / keys.length) % nodes.length]!;
        return node.call(CHARGE, { order: key }, { idempotencyKey: key });
      }),
    );
    expect(keys.map(till.effectsOf)).toEqual(keys.map(() => 1));
    expect(outcomes.map(textOf)).toEqual(outcomes.map((_, i) => `${keys[i % keys.length]} charged`));
    expect(outcomes.filter((outcome) => provenanceOf(outcome)!.source === 'compute')).toHaveLength(8);
  });

  it('is CONFLICT with other arguments, at every node', async () => {
    const nodes = await open();
    const key = keyOf('order-a');
    await nodes[0]!.call(CHARGE, { order: key }, { idempotencyKey: key });
    for (const node of nodes) {
      const refused = await node.call(CHARGE, { order: `not ${key}` }, { idempotencyKey: key });
      expect(errorOf(refused)).toMatchObject({
        code: 'CONFLICT',
        variant: 'other_arguments',
        retryable: false,
      });
    }
    expect([till.effectsOf(key), till.effectsOf(`not ${key}`)]).toEqual([1, 0]);
  });

  it('is one caller’s, in one session, for one tool', async () => {
    const nodes = await open();
    const key = keyOf('order-b');
    const { localUser } = nodes[0]!.gateway;
    const others = [
      {},
      { sessionId: 's1' },
      { sessionId: 's2' },
      { principal: { ...localUser, id: 'ann' } },
      { principal: { ...localUser, tenant: 'acme' } },
    ];
    for (const round of [0, 1]) {
      for (const [i, more] of others.entries()) {
        const node = nodes[(i + round) % nodes.length]!;
        const outcome = await node.call(CHARGE, { order: key }, { idempotencyKey: key, ...more });
        expect(provenanceOf(outcome)!.source).toBe(round === 0 ? 'compute' : 'replay');
      }
    }
    expect(till.effectsOf(key)).toBe(others.length);
  });

  it('in use is CONFLICT at once, where the operator wants it so', async () => {
    const nodes = await open({ idempotency: { onInFlight: 'conflict' } });
    const key = keyOf('order-c');
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        nodes[i % nodes.length]!.call(CHARGE, { order: key }, { idempotencyKey: key }),
      ),
    );
    expect(till.effectsOf(key)).toBe(1);
    const made = outcomes.filter((outcome) => provenanceOf(outcome)?.source === 'compute');
    expect(made).toHaveLength(1);
    for (const outcome of outcomes.filter((other) => other !== made[0])) {
      // Whoever came after it was done has its answer.
      if (outcome.status === 'ok') expect(provenanceOf(outcome)!.source).toBe('replay');
      else expect(errorOf(outcome)).toMatchObject({ code: 'CONFLICT', variant: undefined, retryable: true });
    }
    expect(
      await receiptsOf(
        nodes[0]!,
        outcomes.map(({ callId }) => callId),
      ),
    ).toHaveLength(8);
  });
});

describe('over the wire', () => {
  it('64 requests with one key are one effect and 64 equal answers', async () => {
    const { url, gateway } = await openedGateway(upstreams());
    const key = 'order over the wire';
    const post = async (): Promise<unknown> => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'tool_execute',
            arguments: { tool_id: CHARGE, args: { order: key }, idempotency_key: key },
          },
        }),
      });
      const { result } = (await response.json()) as { result: { content: unknown; isError?: boolean } };
      expect(result.isError ?? false).toBe(false);
      return result.content;
    };
    const answers = await Promise.all(Array.from({ length: CALLERS }, post));
    expect(till.effectsOf(key)).toBe(1);
    for (const answer of answers) expect(answer).toEqual([{ type: 'text', text: `${key} charged` }]);
    expect(await gateway.receipts.list({ limit: 1_000 })).toHaveLength(CALLERS);
  });
});

describe('T29: a key works across restarts', () => {
  it('what was done before is replayed after', async () => {
    const home = temporaryFolder();
    const key = 'order before a restart';
    const charge = ({ call }: TestGateway) => call(CHARGE, { order: key }, { idempotencyKey: key });
    const before = await openedGateway(upstreams(), { home });
    const first = await charge(before);
    await before.close();
    const after = await openedGateway(upstreams(), { home });
    const again = await charge(after);
    expect(textOf(again)).toBe(textOf(first));
    expect(provenanceOf(again)).toMatchObject({ source: 'replay', replayOf: first.callId });
    expect(till.effectsOf(key)).toBe(1);
  });

  it('T31: a call that died between intent and result is reported by the next start, once', async () => {
    const home = temporaryFolder();
    const dead = await openSqliteStores({ file: join(home, 'toolgate.sqlite') });
    const crashReceipt = sampleReceipt({
      callId: 'lost',
      status: 'unknown',
      errorCode: null,
      phase: 'execute',
    });
    await dead.idempotency.claim({
      scope: 's',
      callId: 'lost',
      inputHash: 'h',
      windowMs: 3_600_000,
      crashReceipt,
    });
    await dead.idempotency.recordIntent('s', 'lost');
    await dead.close();
    for (let start = 0; start < 2; start++) {
      const node = await openedGateway({}, { home });
      expect(node.config.sqliteFile).toBe(join(home, 'toolgate.sqlite'));
      await until('the receipt of the lost call', () => node.gateway.receipts.get('lost'));
      expect(await listReceipts(node.gateway.receipts)).toEqual([crashReceipt]);
      expect(await node.gateway.idempotency.listUnresolved(10)).toEqual([
        { scope: 's', receipt: crashReceipt },
      ]);
      await node.close();
    }
  });
});

describe('a result that is too long to show', () => {
  it('is replayed to the same summary and the same handles, which can be read', async () => {
    let effects = 0;
    const home = temporaryFolder();
    const native = {
      shop: [
        {
          name: 'export',
          version: '1.0.0',
          description: 'Exports every order.',
          inputSchema: { type: 'object' },
          run: () => {
            effects++;
            return { rows: Array.from({ length: 5_000 }, (_, id) => ({ id, paid: id % 2 === 0 })) };
          },
        },
      ],
    };
    const keyed = { idempotencyKey: 'export-1' };
    const first = await openedGateway({}, { home, native });
    const made = await first.call('/shop/export', {}, keyed);
    await first.close();
    const second = await openedGateway({}, { home, native });
    const again = await second.call('/shop/export', {}, keyed);
    expect(effects).toBe(1);
    if (made.status !== 'ok' || again.status !== 'ok') throw new Error('both are well');
    expect(again.provenance).toMatchObject({ source: 'replay', replayOf: made.callId });
    if (made.view.kind !== 'summary') throw new Error('the result is not long enough');
    expect(made.view.artifacts.length).toBeGreaterThan(0);
    expect(again.view).toEqual(made.view);
    for (const { handle } of made.view.artifacts) {
      const { localUser, api } = second.gateway;
      const view = api.view(createCaller(localUser), { handle, selector: { head: {} } });
      await expect(view).resolves.toBeDefined();
    }
  });
});
