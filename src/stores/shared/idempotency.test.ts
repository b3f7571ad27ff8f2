/** Obligations of both engines that the suite cannot test, because a test must change the database by itself. */
import { describe, expect, it } from 'vitest';
import { type TestDatabase, type TestEngine, testEngines } from '../../../test/engines.ts';
import type { ClaimRequest } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { sampleReceipt } from '../../toolkit/store-suite.ts';

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

describe.each(ENGINES)('rows of processes that died long ago, on $name', ({ name, create }) => {
  const LONG_AGO = name === 'SQLite' ? `unixepoch() - 7200` : `now() - interval '2 hours'`;
  const JUST_NOW = name === 'SQLite' ? `unixepoch() - 60` : `now() - interval '1 minute'`;

  it('are removed, unless they have open claims', async () => {
    const database = await create();
    const [one, two] = [await database.open(), await database.open()];
    await one.idempotency.claim(claimOf('first', { scope: 'a' }));
    await database.sql(
      `UPDATE ${name === 'SQLite' ? 'toolgate_open_claims' : 'toolgate_claims'} SET node = 'dead with a claim'`,
    );
    await database.sql(`INSERT INTO toolgate_nodes (node, alive_until)
      VALUES ('long dead', ${LONG_AGO}), ('dead with a claim', ${LONG_AGO}), ('just dead', ${JUST_NOW})`);
    await two.idempotency.claim(claimOf('second', { scope: 'b' }));
    const left = () => database.sql(`SELECT node FROM toolgate_nodes WHERE node LIKE '%dead%' ORDER BY node`);
    expect(await left()).toEqual(['dead with a claim', 'just dead']);
    expect((await two.idempotency.claim(claimOf('third', { scope: 'a' }))).state).toBe('unknown');
  });
});
