import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountingUpstream, startCountingUpstream } from '../fault/crash/counting-upstream.ts';
import { createCaller } from '../src/contract/call/caller.ts';
import type { Outcome } from '../src/contract/call/outcome.ts';
import type { Receipt } from '../src/contract/call/receipt.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { sampleReceipt } from '../src/toolkit/store-cases/samples.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { openedGateway, type TestGateway, temporaryFolder, textOf, until } from './gateway.ts';
import { listReceipts } from './receipts.ts';

const CALLERS = 64;
const SETUP_TIMEOUT_MS = 180_000;
const CHARGE = '/payments/charge';

let payments: CountingUpstream;
let postgres: TestPostgres;
beforeAll(async () => {
  payments = await startCountingUpstream();
  postgres = await startPostgres();
}, SETUP_TIMEOUT_MS);
afterAll(async () => {
  await payments?.close();
  await postgres?.stop();
});

const upstreams = () => ({ payments: { url: payments.url } });

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

describe.each(ENGINES)('an idempotency key at $name', ({ name, open }) => {
  const keyOf = (order: string): string => `${order} of ${name}`;

  it('has one effect for 64 concurrent callers, who all get the same answer', async () => {
    const nodes = await open();
    const key = keyOf('order-64');
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) =>
        nodes[i % nodes.length]!.call(CHARGE, { order: key }, { idempotencyKey: key }),
      ),
    );
    expect(payments.effectsOf(key)).toBe(1);
    expect(outcomes.map(textOf)).toEqual(outcomes.map(() => `${key} charged`));

    const executed = outcomes.filter((outcome) => provenanceOf(outcome)!.source === 'compute');
    expect(executed).toHaveLength(1);
    const [{ callId }] = executed as [Outcome];
    const replays = outcomes.filter((outcome) => outcome.callId !== callId).map(provenanceOf);
    expect(replays).toHaveLength(CALLERS - 1);
    for (const replay of replays) {
      expect(replay).toEqual({ ...provenanceOf(executed[0]!), source: 'replay', replayOf: callId });
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

  it('has one effect for each of several keys with many callers', async () => {
    const nodes = await open();
    const keys = Array.from({ length: 8 }, (_, i) => keyOf(`order-${i}`));
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) => {
        const key = keys[i % keys.length]!;
        const node = nodes[Math.floor(i / keys.length) % nodes.length]!;
        return node.call(CHARGE, { order: key }, { idempotencyKey: key });
      }),
    );
    expect(keys.map(payments.effectsOf)).toEqual(keys.map(() => 1));
    expect(outcomes.map(textOf)).toEqual(outcomes.map((_, i) => `${keys[i % keys.length]} charged`));
    expect(outcomes.filter((outcome) => provenanceOf(outcome)!.source === 'compute')).toHaveLength(8);
  });

  it('is refused with CONFLICT for other arguments, at every node', async () => {
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
    expect([payments.effectsOf(key), payments.effectsOf(`not ${key}`)]).toEqual([1, 0]);
  });

  it('is scoped to the caller and its session', async () => {
    const nodes = await open();
    const key = keyOf('order-b');
    const { localUser } = nodes[0]!.gateway;
    const scopes = [
      {},
      { sessionId: 's1' },
      { sessionId: 's2' },
      { principal: { ...localUser, id: 'ann' } },
      { principal: { ...localUser, tenant: 'acme' } },
    ];
    for (const round of [0, 1]) {
      for (const [i, more] of scopes.entries()) {
        const node = nodes[(i + round) % nodes.length]!;
        const outcome = await node.call(CHARGE, { order: key }, { idempotencyKey: key, ...more });
        expect(provenanceOf(outcome)!.source).toBe(round === 0 ? 'compute' : 'replay');
      }
    }
    expect(payments.effectsOf(key)).toBe(scopes.length);
  });

  it('is refused with CONFLICT while it is in use, where onInFlight is conflict', async () => {
    const nodes = await open({ idempotency: { onInFlight: 'conflict' } });
    const key = keyOf('order-c');
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        nodes[i % nodes.length]!.call(CHARGE, { order: key }, { idempotencyKey: key }),
      ),
    );
    expect(payments.effectsOf(key)).toBe(1);
    const executed = outcomes.filter((outcome) => provenanceOf(outcome)?.source === 'compute');
    expect(executed).toHaveLength(1);
    for (const outcome of outcomes.filter((other) => other !== executed[0])) {
      // A call after the completion gets the replayed result.
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

describe('an idempotency key over HTTP', () => {
  it('has one effect and 64 equal answers for 64 concurrent requests', async () => {
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
    expect(payments.effectsOf(key)).toBe(1);
    for (const answer of answers) expect(answer).toEqual([{ type: 'text', text: `${key} charged` }]);
    expect(await gateway.receipts.list({ limit: 1_000 })).toHaveLength(CALLERS);
  });
});

describe('T29: an idempotency key across restarts', () => {
  it('replays the result of a call before the restart', async () => {
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
    expect(payments.effectsOf(key)).toBe(1);
  });

  it('T31: reports a call that was lost between intent and result once, at the next start', async () => {
    const home = temporaryFolder();
    const crashed = await openSqliteStores({ file: join(home, 'toolgate.sqlite') });
    const crashReceipt = sampleReceipt({
      callId: 'lost',
      status: 'unknown',
      errorCode: null,
      phase: 'execute',
    });
    await crashed.idempotency.claim({
      scope: 's',
      callId: 'lost',
      inputHash: 'h',
      windowMs: 3_600_000,
      crashReceipt,
    });
    await crashed.idempotency.recordIntent('s', 'lost');
    await crashed.close();
    for (let start = 0; start < 2; start++) {
      const node = await openedGateway({}, { home });
      expect(node.config.sqliteFile).toBe(join(home, 'toolgate.sqlite'));
      await until('the receipt of the lost call', () => node.gateway.receipts.get('lost'));
      expect(await listReceipts(node.gateway.receipts)).toEqual([crashReceipt]);
      expect(await node.gateway.idempotency.listUnresolved(10)).toEqual([
        { scope: 's', receipt: crashReceipt, isAwaited: false },
      ]);
      await node.close();
    }
  });
});

describe('a long result', () => {
  it('is replayed with the same summary and the same handles, which can be read', async () => {
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
    const executed = await first.call('/shop/export', {}, keyed);
    await first.close();
    const second = await openedGateway({}, { home, native });
    const again = await second.call('/shop/export', {}, keyed);
    expect(effects).toBe(1);
    if (executed.status !== 'ok' || again.status !== 'ok') throw new Error('One of the calls failed.');
    expect(again.provenance).toMatchObject({ source: 'replay', replayOf: executed.callId });
    if (executed.view.kind !== 'summary') throw new Error('The result is not long enough.');
    expect(executed.view.artifacts.length).toBeGreaterThan(0);
    expect(again.view).toEqual(executed.view);
    for (const { handle } of executed.view.artifacts) {
      const { localUser, api } = second.gateway;
      const view = api.view(createCaller(localUser), { handle, selector: { head: {} } });
      await expect(view).resolves.toBeDefined();
    }
  });
});
