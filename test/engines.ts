/** Both store engines, for tests of what they have in common. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Client } from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Stores } from '../src/contract/ports/stores.ts';
import { openPostgresStores, type PostgresStoresOptions } from '../src/stores/postgres/open.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';
import { folderWith } from './folder.ts';

export interface TestEngine {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** A new, empty database. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** The stores of one more process on the same database, closed when the test ends. */
  open(options?: StoreOptions): Promise<Stores>;
  /** Runs a statement on a connection of its own, and returns the first column. */
  sql(text: string): Promise<unknown[]>;
}

export type StoreOptions = Pick<PostgresStoresOptions, 'leaseMs' | 'onLostEntries'>;

/** Starts a PostgreSQL for the tests of the file that calls this. */
export function testEngines(): readonly TestEngine[] {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 180_000);
  afterAll(() => postgres?.stop());
  return [
    { name: 'SQLite', create: async () => sqliteDatabase(join(folderWith(), 'toolgate.sqlite')) },
    { name: 'PostgreSQL', create: async () => postgresDatabase(await postgres.createDatabase()) },
  ];
}

function sqliteDatabase(file: string): TestDatabase {
  return {
    open: (options) => closeWithTest(openSqliteStores({ file, ...options })),
    sql: async (text) => {
      const db = new SqliteDatabase(file);
      try {
        const statement = db.prepare(text);
        if (statement.reader) return statement.pluck().all();
        statement.run();
        return [];
      } finally {
        db.close();
      }
    },
  };
}

function postgresDatabase(url: string): TestDatabase {
  return {
    open: (options) => closeWithTest(openPostgresStores({ url, ...options })),
    sql: async (text) => {
      const client = new Client(url);
      await client.connect();
      try {
        const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
        return rows.map(([first]) => first);
      } finally {
        await client.end();
      }
    },
  };
}

async function closeWithTest(opening: Promise<Stores>): Promise<Stores> {
  const stores = await opening;
  onTestFinished(() => stores.close());
  return stores;
}
