/** The files of a gateway's state: who can read them, and what happens when another process locks or removes them. */
import { chmodSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openEraCache } from '../src/app/wiring/era-cache-file.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { folderWith } from './folder.ts';
import { openedGateway } from './gateway.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

function tool(name: string, declared: NativeTool['declared'] = {}): NativeTool {
  return {
    name,
    version: '1.0.0',
    description: 'A tool.',
    inputSchema: { type: 'object' },
    declared,
    run: async () => ({ done: true }),
  };
}

const TOOLS = { shop: [tool('look', { mutation: 'read_only' }), tool('pay')] };

describe.skipIf(process.platform === 'win32')('other accounts cannot read', () => {
  it('the state folder, also when it exists, and the store in it', async () => {
    const home = folderWith();
    chmodSync(home, 0o755);
    const { config } = await openedGateway({}, { home });
    expect([modeOf(home), modeOf(config.sqliteFile)]).toEqual([0o700, 0o600]);
  });

  it('the cache of protocol eras and the folder that it creates', () => {
    const file = join(folderWith(), 'state', 'eras.json');
    openEraCache(file).remember('a', { kind: 'legacy' });
    expect([modeOf(dirname(file)), modeOf(file)]).toEqual([0o700, 0o600]);
  });
});

describe('a store file that is removed under a running gateway', () => {
  it('makes /readyz fail until it is back', async () => {
    const { url, config } = await openedGateway({});
    const readiness = async () => {
      const response = await fetch(`${url}/readyz`);
      return [response.status, ((await response.json()) as { store: string }).store];
    };
    expect(await readiness()).toEqual([200, 'ok']);
    renameSync(config.sqliteFile, `${config.sqliteFile}.moved`);
    expect(await readiness()).toEqual([503, 'unusable']);
    renameSync(`${config.sqliteFile}.moved`, config.sqliteFile);
    expect(await readiness()).toEqual([200, 'ok']);
  });
});

describe('a store file that another process has locked', () => {
  it('delays writes up to their deadline, and neither reads nor /healthz', { timeout: 30_000 }, async () => {
    const { url, config, call } = await openedGateway({}, { native: TOOLS });
    const pay = (deadline: number) => call('/shop/pay', {}, { idempotencyKey: 'order-41', deadline });
    const other = new SqliteDatabase(config.sqliteFile);
    other.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    const paid = pay(Date.now() + 300);
    expect((await call('/shop/look')).status).toBe('ok');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await paid).toMatchObject({ status: 'failed', error: { retryable: true } });
    // Waiting for the lock in the engine takes five seconds a statement, in which nothing is answered.
    expect(performance.now() - start).toBeLessThan(4_500);
    other.exec('ROLLBACK');
    other.close();
    await expect.poll(async () => (await pay(Date.now() + 10_000)).status, { timeout: 20_000 }).toBe('ok');
  });
});
