/** Receipts while the store is away, and the hash of what was really sent. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { openFlakyProxy } from './flaky-proxy.ts';
import { openTestGateway } from './gateway.ts';
import { listReceipts } from './receipts.ts';
import { admissionOf, ECHO, recordingDeps, send } from './recording-deps.ts';

const HANG_MS = 60_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres?.stop());

/** A gateway with one read and one write, whose store can be taken away. */
async function openGatewayOnPostgres(receipts: object) {
  const proxy = await openFlakyProxy(await postgres.createDatabase());
  let writes = 0;
  const tool = (name: string, mutation: 'read_only' | 'write_reversible', run: () => object): NativeTool => ({
    name,
    version: '1.0.0',
    description: name,
    inputSchema: { type: 'object' },
    declared: { mutation, timeoutClass: 'standard' },
    run,
  });
  const native = {
    shop: [
      tool('look', 'read_only', () => ({ stock: 7 })),
      tool('order', 'write_reversible', () => ({ orders: ++writes })),
    ],
  };
  const settings = { store: { postgres: proxy.url }, receipts, idempotency: { leaseMs: 1_000 } };
  const opened = await openTestGateway({}, { native, settings });
  onTestFinished(async () => {
    proxy.heal();
    await opened.close();
    proxy.close();
  });
  const readiness = async (): Promise<number> => (await fetch(`${opened.url}/readyz`)).status;
  return { ...opened, proxy, readiness, writes: () => writes };
}

describe('a gateway whose store is away', { timeout: 3 * HANG_MS }, () => {
  it('refuses a write before its effect with receipts.failClosed', async () => {
    const { call, proxy, writes } = await openGatewayOnPostgres({ failClosed: true });
    expect((await call('/shop/order')).status).toBe('ok');
    proxy.stall();
    const refused = await call('/shop/order', {}, { deadline: Date.now() + 2_000 });
    expect(refused.status).toBe('failed');
    expect(writes()).toBe(1);
  });

  it('answers a read, reports it in /readyz, and writes the receipt when the store is back', async () => {
    const { call, proxy, readiness, gateway } = await openGatewayOnPostgres({ failClosed: true });
    await call('/shop/look');
    expect(await readiness()).toBe(200);
    proxy.stall();
    const answered = await call('/shop/look');
    expect(answered.status).toBe('ok');
    await expect.poll(readiness, { timeout: HANG_MS }).toBe(503);
    proxy.heal();
    const isRecorded = async () =>
      (await listReceipts(gateway.receipts).catch(() => [])).some(({ callId }) => callId === answered.callId);
    await expect.poll(isRecorded, { timeout: HANG_MS, interval: 200 }).toBe(true);
    await expect.poll(readiness, { timeout: HANG_MS }).toBe(200);
  });

  it('records the intent of a write before its effect, and the receipt after it', async () => {
    const { call, gateway } = await openGatewayOnPostgres({ failClosed: true });
    const { callId } = await call('/shop/order');
    const entries = await gateway.receipts.entriesOf(callId);
    expect(entries.map(({ kind }) => kind)).toEqual(['intent', 'call']);
  });
});

it('gives two sent hashes and one input hash when the upstream changes a default between two calls', async () => {
  const toolWith = (times: number) => ({
    ...ECHO,
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string' }, times: { type: 'integer', default: times } },
    },
  });
  const { deps, catalog, calls, receipts } = recordingDeps({ tools: [toolWith(1)] });
  await send(deps);
  catalog.replace(admissionOf([toolWith(2)]));
  await send(deps);
  expect(calls.map(({ args }) => args)).toEqual([
    { message: 'hello', times: 1 },
    { message: 'hello', times: 2 },
  ]);
  const [first, second] = receipts;
  expect(first!.inputHash).toBe(second!.inputHash);
  expect(first!.sentHash).not.toBe(second!.sentHash);
  expect(first!.sentHash).not.toBe(first!.inputHash);
});

it('has the same hash for both where nothing was added or repaired', async () => {
  const { deps, receipts } = recordingDeps();
  await send(deps);
  expect(receipts[0]!.sentHash).toBe(receipts[0]!.inputHash);
});
