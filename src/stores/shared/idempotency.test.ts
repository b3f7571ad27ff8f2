/** What both engines owe beyond the suite, where a test must reach behind their backs. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/embedded-postgres.ts';
import { folderWith } from '../../../test/folder.ts';
import type { Claim } from '../../contract/ports/idempotency-store.ts';
import type { Stores } from '../../contract/ports/stores.ts';
import { sampleReceipt } from '../../toolkit/store-suite.ts';
import { openPostgresStores } from '../postgres/open.ts';
import { openSqliteStores } from '../sqlite/open.ts';

interface Engine {
  readonly name: string;
  open(): Promise<Place>;
}

interface Place {
  /** One more process's view of the same store, closed when the test ends. */
  stores(leaseMs?: number): Promise<Stores>;
  /** Runs a statement of our own, and gives the first column of what it finds. */
  sql(text: string): Promise<unknown[]>;
  /** Every update to this state fails from now on, as on a disk that is full. */
  refuse(state: string): Promise<void>;
  takeAgain(): Promise<void>;
}

const QUICK_LEASE_MS = 90;
const HANG = { timeout: 20_000 };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres?.stop());

const ENGINES: readonly Engine[] = [
  {
    name: 'SQLite',
    open: async () => {
      const file = join(folderWith(), 'toolgate.sqlite');
      const sql = async (text: string): Promise<unknown[]> => {
        const db = new SqliteDatabase(file);
        try {
          const statement = db.prepare(text);
          if (statement.reader) return statement.pluck().all();
          statement.run();
          return [];
        } finally {
          db.close();
        }
      };
      return {
        sql,
        stores: (leaseMs) => closedInTheEnd(openSqliteStores({ file, ...(leaseMs && { leaseMs }) })),
        refuse: async (state) => {
          const written =
            state === 'done'
              ? 'INSERT ON toolgate_kept_results'
              : `UPDATE ON toolgate_open_claims WHEN NEW.state = '${state}'`;
          await sql(`CREATE TRIGGER refusal BEFORE ${written} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
        },
        takeAgain: async () => {
          await sql('DROP TRIGGER refusal');
        },
      };
    },
  },
  {
    name: 'PostgreSQL',
    open: async () => {
      const url = await postgres.createDatabase();
      const sql = async (text: string): Promise<unknown[]> => {
        const client = new Client(url);
        await client.connect();
        try {
          const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
          return rows.map(([first]) => first);
        } finally {
          await client.end();
        }
      };
      return {
        sql,
        stores: (leaseMs) => closedInTheEnd(openPostgresStores({ url, ...(leaseMs && { leaseMs }) })),
        refuse: async (state) => {
          await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`);
          await sql(`CREATE TRIGGER refusal BEFORE UPDATE ON toolgate_claims
            FOR EACH ROW WHEN (NEW.state = '${state}') EXECUTE FUNCTION refuse()`);
        },
        takeAgain: async () => {
          await sql('DROP TRIGGER refusal ON toolgate_claims');
        },
      };
    },
  },
];

async function closedInTheEnd(opening: Promise<Stores>): Promise<Stores> {
  const stores = await opening;
  onTestFinished(() => stores.close());
  return stores;
}

function claimOf(callId: string, more: Partial<Claim> = {}): Claim {
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

describe.each(ENGINES)('an end that could not be written, on $name', ({ open }) => {
  const stateOf = async ({ idempotency }: Stores): Promise<string> =>
    (await idempotency.claim(claimOf('another'))).state;

  it('is written when the store takes it again; until then the key is unknown rather than stuck', async () => {
    const place = await open();
    const stores = await place.stores(QUICK_LEASE_MS);
    await stores.idempotency.claim(claimOf('first'));
    await place.refuse('done');
    await expect(stores.idempotency.complete('order-41', 'first', 'it did')).rejects.toThrow('disk full');
    await expect.poll(() => stateOf(stores), HANG).toBe('unknown');
    expect(await stores.idempotency.listUnresolved(10)).toMatchObject([{ receipt: { callId: 'first' } }]);
    await place.takeAgain();
    await expect.poll(() => stateOf(stores), HANG).toBe('done');
    expect(await stores.idempotency.claim(claimOf('another'))).toMatchObject({
      callId: 'first',
      result: 'it did',
    });
  });

  it('is written at the latest when the store is closed', async () => {
    const place = await open();
    const stores = await place.stores();
    await stores.idempotency.claim(claimOf('first'));
    await place.refuse('done');
    await expect(stores.idempotency.complete('order-41', 'first', 'it did')).rejects.toThrow('disk full');
    await place.takeAgain();
    await stores.close();
    expect(await stateOf(await place.stores())).toBe('done');
  });

  it('is forgotten where the call has said something else since', async () => {
    const place = await open();
    const stores = await place.stores(QUICK_LEASE_MS);
    await stores.idempotency.claim(claimOf('first'));
    await place.refuse('unknown');
    await expect(stores.idempotency.markUnknown('order-41', 'first')).rejects.toThrow('disk full');
    await stores.idempotency.complete('order-41', 'first', 'it did');
    await place.takeAgain();
    await new Promise((resolve) => setTimeout(resolve, 3 * QUICK_LEASE_MS));
    expect(await stateOf(stores)).toBe('done');
  });
});

describe.each(ENGINES)('processes that died long ago, on $name', ({ name, open }) => {
  const LONG_AGO = name === 'SQLite' ? `unixepoch() - 7200` : `now() - interval '2 hours'`;
  const JUST_NOW = name === 'SQLite' ? `unixepoch() - 60` : `now() - interval '1 minute'`;

  it('are forgotten, unless something of theirs is open', async () => {
    const place = await open();
    const [one, two] = [await place.stores(), await place.stores()];
    await one.idempotency.claim(claimOf('first', { scope: 'a' }));
    await place.sql(
      `UPDATE ${name === 'SQLite' ? 'toolgate_open_claims' : 'toolgate_claims'} SET node = 'dead with a key'`,
    );
    await place.sql(`INSERT INTO toolgate_nodes (node, alive_until)
      VALUES ('long dead', ${LONG_AGO}), ('dead with a key', ${LONG_AGO}), ('just dead', ${JUST_NOW})`);
    await two.idempotency.claim(claimOf('second', { scope: 'b' }));
    const left = () => place.sql(`SELECT node FROM toolgate_nodes WHERE node LIKE '%dead%' ORDER BY node`);
    expect(await left()).toEqual(['dead with a key', 'just dead']);
    expect((await two.idempotency.claim(claimOf('third', { scope: 'a' }))).state).toBe('unknown');
  });
});
