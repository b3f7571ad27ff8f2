/** A PostgreSQL whose line breaks or stalls under keyed calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStores } from '../src/stores/postgres/open.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { openFlakyProxy } from './flaky-proxy.ts';
import { type RecordingDepsOptions, recordingDeps, type SendParts, send } from './recording-deps.ts';

/** So long that no sign of life is cut in place of what a test means to cut; so short that what is owed is soon written. */
const LEASE = { long: 60_000, short: 600 };
const HANG_MS = 60_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres?.stop());

/** A deps whose keys and receipts lie behind a line that can be broken. */
async function gateBehind(leaseMs: number, options: RecordingDepsOptions = {}) {
  const line = await openFlakyProxy(await postgres.createDatabase());
  const stores = await openPostgresStores({ url: line.url, leaseMs });
  onTestFinished(async () => {
    line.heal();
    await stores.close();
    line.close();
  });
  const { deps, calls } = recordingDeps({ hasFreeSlot: true, ...options });
  const { idempotency, receipts } = stores;
  const kept = { ...deps, idempotency, receipts };
  const call = (more: SendParts = {}) => send(kept, { idempotencyKey: 'order-41', ...more });
  // The first call opens connections and gives the first sign of life.
  await call({ idempotencyKey: 'first' });
  return { line, calls, call, idempotency };
}

describe('a line that breaks', { timeout: 2 * HANG_MS }, () => {
  it('under the claim: nothing is sent, and the key is free for the call that is made again', async () => {
    const { line, calls, call } = await gateBehind(LEASE.long);
    line.cutNextAnswer();
    expect((await call()).status).toBe('failed');
    expect(calls).toHaveLength(1);
    expect((await call()).status).toBe('ok');
    expect(calls).toHaveLength(2);
  });

  it('under the seal: the answer is there, and kept all the same', async () => {
    const { line, calls, call } = await gateBehind(LEASE.long, {
      answer: async () => {
        if (calls.length === 2) line.cutNextAnswer();
        return { content: [], isError: false };
      },
    });
    expect((await call()).status).toBe('ok');
    const again = await call();
    expect(again).toMatchObject({ status: 'ok', provenance: { source: 'replay' } });
    expect(calls).toHaveLength(2);
  });
});

describe('a line that stalls', { timeout: 2 * HANG_MS }, () => {
  it('holds a call up to its deadline and a moment longer, and its key is free when it works again', async () => {
    const { line, calls, call } = await gateBehind(LEASE.short);
    line.stall();
    const stalled = call({ deadline: Date.now() + 300 });
    const outcome = await Promise.race([stalled, pause(HANG_MS).then(() => 'hangs' as const)]);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(calls).toHaveLength(1);
    line.heal();
    await expect.poll(async () => (await call()).status, { timeout: HANG_MS }).toBe('ok');
    expect(calls).toHaveLength(2);
  });

  it('after the effect leaves the caller its answer, and the key heals when it works again', async () => {
    const { line, calls, call } = await gateBehind(LEASE.short, {
      answer: async () => {
        if (calls.length === 2) line.stall();
        return { content: [], isError: false };
      },
    });
    const outcome = await Promise.race([call(), pause(HANG_MS).then(() => 'hangs' as const)]);
    expect(outcome).toMatchObject({ status: 'ok' });
    line.heal();
    await expect
      .poll(async () => await call({ deadline: Date.now() + 2_000 }), { timeout: HANG_MS })
      .toMatchObject({ status: 'ok', provenance: { source: 'replay' } });
    expect(calls).toHaveLength(2);
  });
});
