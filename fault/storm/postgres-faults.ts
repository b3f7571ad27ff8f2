import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { TestPostgres } from '../../test/embedded-postgres.ts';
import type { StormFault } from './storm.ts';

/** Longer than the timeout of a lock in the server. */
const LOCK_MS = 6_000;
/** Longer than a client waits for a statement. */
const HANG_MS = 11_000;

export function postgresFaults(postgres: TestPostgres, url: string): StormFault[] {
  return [
    {
      name: 'locked table',
      inject: () =>
        withClient(url, async (client) => {
          await client.query('BEGIN; LOCK TABLE toolgate_claims');
          await pause(LOCK_MS);
          await client.query('ROLLBACK');
        }),
    },
    {
      name: 'hung commits',
      inject: () =>
        withClient(url, async (client) => {
          await setStandby(client, 'standby_that_is_away');
          await pause(HANG_MS);
          await setStandby(client, '');
        }),
    },
    { name: 'restart of PostgreSQL', inject: () => postgres.restart() },
  ];
}

/** Commits wait for a standby of this name. */
async function setStandby(client: Client, name: string): Promise<void> {
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await client.query('SELECT pg_reload_conf()');
}

async function withClient(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
