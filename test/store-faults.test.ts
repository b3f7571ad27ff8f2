/** Keyed calls while the connection to PostgreSQL breaks or stalls. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimRequest } from '../src/contract/ports/idempotency-store.ts';
import { openPostgresStores } from '../src/stores/postgres/open.ts';
import { sampleReceipt } from '../src/toolkit/store-suite.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { openFlakyProxy } from './flaky-proxy.ts';
import { type RecordingDepsOptions, recordingDeps, type SendParts, send } from './recording-deps.ts';

/** Long: no heartbeat is cut in place of the statement that a test cuts. Short: failed writes are retried soon. */
const LEASE_MS = { long: 60_000, short: 600 };
const WAIT_MS = 60_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres?.stop());

/** Call dependencies whose stores are behind a proxy that can break or stall. */
async function openBehindProxy(leaseMs: number, options: RecordingDepsOptions = {}) {
  const url = await postgres.createDatabase();
  const proxy = await openFlakyProxy(url);
  const stores = await openPostgresStores({ url: proxy.url, leaseMs });
  onTestFinished(async () => {
    proxy.heal();
    await stores.close();
    proxy.close();
  });
  const { deps, calls } = recordingDeps({ hasFreeSlot: true, ...options });
  const { idempotency, receipts } = stores;
  const call = (more: SendParts = {}) =>
    send({ ...deps, idempotency, receipts }, { idempotencyKey: 'order-41', ...more });
  // The first call opens connections and sends the first heartbeat.
  await call({ idempotencyKey: 'first' });
  return { url, proxy, calls, call, receipts, idempotency };
}

/** A connection past the proxy, closed when the test ends. */
async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function claimOf(callId: string): ClaimRequest {
  const crashReceipt = sampleReceipt({ callId });
  return { scope: 'order-41', callId, inputHash: 'h', windowMs: 60_000, hasIntent: true, crashReceipt };
}

async function waitForRow(client: Client, query: string): Promise<void> {
  await expect
    .poll(async () => (await client.query(query)).rowCount, { timeout: WAIT_MS })
    .toBeGreaterThan(0);
}

describe('a connection to the store that breaks', { timeout: 2 * WAIT_MS }, () => {
  it('during the claim: nothing is sent, and the key is free for the next call', async () => {
    const { proxy, calls, call } = await openBehindProxy(LEASE_MS.long);
    proxy.cutNextAnswer();
    expect(await call()).toMatchObject({
      status: 'failed',
      error: { code: 'UPSTREAM_UNAVAILABLE', variant: 'store', retryable: true },
    });
    expect(calls).toHaveLength(1);
    expect((await call()).status).toBe('ok');
    expect(calls).toHaveLength(2);
  });

  it('during the completion: the caller gets the result, and it is stored', async () => {
    const { proxy, calls, call } = await openBehindProxy(LEASE_MS.long, {
      answer: async () => {
        if (calls.length === 2) proxy.cutNextAnswer();
        return { content: [], isError: false };
      },
    });
    expect((await call()).status).toBe('ok');
    const again = await call();
    expect(again).toMatchObject({ status: 'ok', provenance: { source: 'replay' } });
    expect(calls).toHaveLength(2);
  });
});

describe('a connection to the store that stalls', { timeout: 2 * WAIT_MS }, () => {
  it('delays a call until its deadline, and its key is free when the store works again', async () => {
    const { proxy, calls, call } = await openBehindProxy(LEASE_MS.short);
    proxy.stall();
    const stalled = call({ deadline: Date.now() + 300 });
    const outcome = await Promise.race([stalled, pause(WAIT_MS).then(() => 'timeout' as const)]);
    expect(outcome).toMatchObject({
      error: { code: 'UPSTREAM_UNAVAILABLE', variant: 'store', retryable: true },
    });
    expect(calls).toHaveLength(1);
    proxy.heal();
    await expect.poll(async () => (await call()).status, { timeout: WAIT_MS }).toBe('ok');
    expect(calls).toHaveLength(2);
  });

  it('after the effect: the caller gets the result, and it is stored when the store works again', async () => {
    const { proxy, calls, call } = await openBehindProxy(LEASE_MS.short, {
      answer: async () => {
        if (calls.length === 2) proxy.stall();
        return { content: [], isError: false };
      },
    });
    const outcome = await Promise.race([call(), pause(WAIT_MS).then(() => 'timeout' as const)]);
    expect(outcome).toMatchObject({ status: 'ok' });
    proxy.heal();
    await expect
      .poll(async () => await call({ deadline: Date.now() + 2_000 }), { timeout: WAIT_MS })
      .toMatchObject({ status: 'ok', provenance: { source: 'replay' } });
    expect(calls).toHaveLength(2);
  });

  it('after the effect: the receipt is pending until the store works again, and is then in the log once', async () => {
    const { proxy, calls, call, receipts } = await openBehindProxy(LEASE_MS.short, {
      answer: async () => {
        if (calls.length === 2) proxy.stall();
        return { content: [], isError: false };
      },
    });
    const { callId } = await call({ idempotencyKey: undefined });
    await expect.poll(() => receipts.health.pending, { timeout: WAIT_MS }).toBe(1);
    proxy.heal();
    await expect.poll(() => receipts.health, { timeout: WAIT_MS }).toEqual({ pending: 0, lost: 0 });
    expect(await receipts.entriesOf(callId)).toMatchObject([{ kind: 'call', receipt: { status: 'ok' } }]);
  });
});

describe('a claim that waits in the server', { timeout: 2 * WAIT_MS }, () => {
  it('and is committed after its release found nothing: its key is free after the next heartbeat', async () => {
    const { url, proxy, idempotency } = await openBehindProxy(LEASE_MS.short);
    const operator = await connect(url);
    const setStandby = async (name: string): Promise<void> => {
      await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await operator.query('SELECT pg_reload_conf()');
    };
    onTestFinished(() => setStandby(''));
    await setStandby('standby_that_is_away');
    await waitForRow(operator, `SELECT WHERE current_setting('synchronous_standby_names') <> ''`);
    const hanging = expect(idempotency.claim(claimOf('first'))).rejects.toThrow();
    await waitForRow(
      operator,
      `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'INSERT INTO toolgate_claims%'`,
    );
    proxy.heal();
    await hanging;
    const release = (): Promise<boolean> =>
      idempotency.release('order-41', 'first').then(
        () => true,
        () => false,
      );
    await expect.poll(release, { timeout: WAIT_MS }).toBe(true);
    await setStandby('');
    const state = async (): Promise<string> => (await idempotency.claim(claimOf('second'))).state;
    await expect.poll(state, { timeout: WAIT_MS }).toBe('acquired');
  });

  it('for a lock: the server ends it before the client does, and nothing waits in the server', async () => {
    const { url, idempotency } = await openBehindProxy(LEASE_MS.long);
    const operator = await connect(url);
    await operator.query('BEGIN; LOCK TABLE toolgate_claims');
    await expect(idempotency.claim(claimOf('first'))).rejects.toThrow('lock timeout');
    const { rowCount } = await operator.query('SELECT FROM pg_locks WHERE NOT granted');
    expect(rowCount).toBe(0);
    await operator.query('ROLLBACK');
    expect(await idempotency.claim(claimOf('first'))).toEqual({ state: 'acquired' });
  });
});
