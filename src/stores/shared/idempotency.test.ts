/** Obligations of both engines that the suite cannot test, because a test must change the database by itself. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestDatabase, type TestEngine, testEngines } from '../../../test/engines.ts';
import type { ClaimRequest } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { sampleArtifact, sampleReceipt } from '../../toolkit/store-suite.ts';

const SHORT_LEASE_MS = 90;
const WAIT = { timeout: 20_000 };
const ENGINES = testEngines();

/** Every write of this state fails from now on, as on a full disk. Returns a function that repairs it. */
async function breakState(
  { sql }: TestDatabase,
  engine: TestEngine['name'],
  state: 'done' | 'unknown',
): Promise<() => Promise<void>> {
  if (engine === 'SQLite') {
    const written =
      state === 'done'
        ? 'INSERT ON toolgate_stored_results'
        : `UPDATE ON toolgate_open_claims WHEN NEW.state = '${state}'`;
    await sql(`CREATE TRIGGER refusal BEFORE ${written} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
    return async () => void (await sql('DROP TRIGGER refusal'));
  }
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`);
  await sql(`CREATE TRIGGER refusal BEFORE UPDATE ON toolgate_claims
    FOR EACH ROW WHEN (NEW.state = '${state}') EXECUTE FUNCTION refuse()`);
  return async () => void (await sql('DROP TRIGGER refusal ON toolgate_claims'));
}

function claimOf(callId: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  const crashReceipt = sampleReceipt({ callId, status: 'unknown' });
  return {
    scope: 'order-41',
    callId,
    inputHash: 'h',
    windowMs: 3_600_000,
    hasIntent: true,
    crashReceipt,
    ...more,
  };
}

describe.each(ENGINES)('a terminal write that fails, on $name', ({ name, create }) => {
  const stateOf = async ({ idempotency }: Stores): Promise<string> =>
    (await idempotency.claim(claimOf('another'))).state;

  it('is retried until it succeeds; until then the key is unknown, not held', async () => {
    const database = await create();
    const stores = await database.open({ leaseMs: SHORT_LEASE_MS });
    await stores.idempotency.claim(claimOf('first'));
    const repair = await breakState(database, name, 'done');
    await expect(stores.idempotency.complete('order-41', 'first', 'executed')).rejects.toThrow('disk full');
    await expect.poll(() => stateOf(stores), WAIT).toBe('unknown');
    expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'first' } }]);
    await repair();
    await expect.poll(() => stateOf(stores), WAIT).toBe('done');
    expect(await stores.idempotency.claim(claimOf('another'))).toMatchObject({
      callId: 'first',
      result: 'executed',
    });
  });

  it('is retried when the store is closed', async () => {
    const database = await create();
    const stores = await database.open();
    await stores.idempotency.claim(claimOf('first'));
    const repair = await breakState(database, name, 'done');
    await expect(stores.idempotency.complete('order-41', 'first', 'executed')).rejects.toThrow('disk full');
    await repair();
    await stores.close();
    expect(await stateOf(await database.open())).toBe('done');
  });

  it('is dropped when a later write of the same call succeeds', async () => {
    const database = await create();
    const stores = await database.open({ leaseMs: SHORT_LEASE_MS });
    await stores.idempotency.claim(claimOf('first'));
    const repair = await breakState(database, name, 'unknown');
    await expect(stores.idempotency.markUnknown('order-41', 'first')).rejects.toThrow('disk full');
    await stores.idempotency.complete('order-41', 'first', 'executed');
    await repair();
    await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_LEASE_MS));
    expect(await stateOf(stores)).toBe('done');
  });
});

describe.each(ENGINES)('a process that sends no heartbeat, on $name', ({ name, create }) => {
  const CLAIMS = name === 'SQLite' ? 'toolgate_open_claims' : 'toolgate_claims';

  /** The stores of a process whose timers do not run, as in a process that is paused. */
  async function openPaused(database: TestDatabase): Promise<Stores> {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    return database.open({ leaseMs: SHORT_LEASE_MS });
  }

  it('cannot send under a key that was given to another call', async () => {
    const database = await create();
    const [paused, other] = [await openPaused(database), await database.open()];
    await paused.idempotency.claim(claimOf('first'));
    await paused.idempotency.claim(claimOf('kept', { scope: 'order-42' }));
    expect(await paused.idempotency.confirm('order-41', 'first')).toBe(true);
    await pause(2 * SHORT_LEASE_MS);
    expect(await other.idempotency.claim(claimOf('second'))).toMatchObject({ state: 'unknown' });
    await other.idempotency.resolve('first', 'not_executed', '');
    expect(await other.idempotency.claim(claimOf('second'))).toEqual({ state: 'acquired' });
    expect(await paused.idempotency.confirm('order-41', 'first')).toBe(false);
    await paused.idempotency.complete('order-41', 'first', 'too late');
    expect(await other.idempotency.claim(claimOf('third'))).toMatchObject({ state: 'running' });
  });

  it('keeps a key that no other call asked for, and is alive again', async () => {
    const database = await create();
    const [paused, other] = [await openPaused(database), await database.open()];
    await paused.idempotency.claim(claimOf('first'));
    await pause(2 * SHORT_LEASE_MS);
    expect(await paused.idempotency.confirm('order-41', 'first')).toBe(true);
    expect(await other.idempotency.claim(claimOf('second'))).toMatchObject({ state: 'running' });
  });

  it('does not take itself for dead', async () => {
    const stores = await openPaused(await create());
    await stores.idempotency.claim(claimOf('first'));
    await pause(2 * SHORT_LEASE_MS);
    expect(await stores.idempotency.findLost()).toEqual([]);
    expect(await stores.idempotency.claim(claimOf('second'))).toMatchObject({ state: 'running' });
  });

  it('is dead where its lease ends later than any lease can, after a clock was set back', async () => {
    const database = await create();
    const [dead, other] = [await openPaused(database), await database.open()];
    await dead.idempotency.claim(claimOf('first'));
    const day = name === 'SQLite' ? '86400000' : `interval '1 day'`;
    await database.sql(`UPDATE toolgate_nodes SET alive_until = alive_until + ${day}`);
    expect(await other.idempotency.claim(claimOf('second'))).toMatchObject({ state: 'unknown' });
  });

  it('leaves no row when it has no open claims', async () => {
    const database = await create();
    const [withClaim, without] = [await openPaused(database), await openPaused(database)];
    await withClaim.idempotency.claim(claimOf('first'));
    await without.idempotency.claim(claimOf('second', { scope: 'order-42' }));
    await without.idempotency.release('order-42', 'second');
    vi.useRealTimers();
    const other = await database.open({ leaseMs: SHORT_LEASE_MS });
    await other.idempotency.claim(claimOf('third', { scope: 'order-43' }));
    await expect.poll(() => database.sql('SELECT node FROM toolgate_nodes'), WAIT).toHaveLength(2);
    expect(await database.sql(`SELECT DISTINCT node FROM ${CLAIMS}`)).toHaveLength(2);
  });
});

describe.each(ENGINES)('data whose time is over, on $name', ({ name, create }) => {
  const RESULTS = name === 'SQLite' ? 'toolgate_stored_results' : 'toolgate_claims';

  it('is removed by a sweep, and the rest stays', async () => {
    const database = await create();
    const { idempotency, artifacts, removeExpired } = await database.open();
    for (const [callId, windowMs] of [
      ['short', 1],
      ['long', 3_600_000],
    ] as const) {
      await idempotency.claim(claimOf(callId, { scope: callId, windowMs }));
      await idempotency.complete(callId, callId, 'secret');
      await artifacts.put('ann', sampleArtifact(callId), { ttlMs: windowMs, quotaBytes: 1_000_000 });
    }
    await pause(20);
    await removeExpired();
    expect(await database.sql(`SELECT call_id FROM ${RESULTS}`)).toEqual(['long']);
    expect(await database.sql('SELECT count(*) FROM toolgate_artifacts')).toEqual([
      name === 'SQLite' ? 1 : '1',
    ]);
  });
});

describe.each(ENGINES)('a store of an older version, on $name', ({ name, create }) => {
  it('is not migrated while another process uses it', async () => {
    const database = await create();
    const older = await database.open();
    await older.idempotency.claim(claimOf('first'));
    await database.sql(
      'DELETE FROM toolgate_schema WHERE version = (SELECT max(version) FROM toolgate_schema)',
    );
    await expect(database.open()).rejects.toThrow(
      name === 'SQLite' ? 'another process has it open' : 'other gateways use it: 1.',
    );
    await older.idempotency.complete('order-41', 'first', 'executed');
  });
});
