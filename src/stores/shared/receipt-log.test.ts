/** Obligations of both engines that the suite cannot test, because a test must break the store. */
import { describe, expect, it } from 'vitest';
import { type TestDatabase, testEngines } from '../../../test/engines.ts';
import type { LogEntry } from '../../contract/ports/receipt-log.ts';
import { callIdOf, callIds, intentOf } from '../../toolkit/store-cases/log-samples.ts';
import { sampleEntry } from '../../toolkit/store-suite.ts';

const WAIT = { timeout: 20_000 };

/** Every append fails from now on, as if the store were not available. */
async function breakLog({ sql }: TestDatabase): Promise<void> {
  await sql('ALTER TABLE toolgate_log RENAME TO toolgate_log_away');
}

async function repairLog({ sql }: TestDatabase): Promise<void> {
  await sql('ALTER TABLE toolgate_log_away RENAME TO toolgate_log');
}

describe.each(testEngines())('an append that fails, on $name', ({ create }) => {
  it('rejects, is pending, and is retried until it is written', async () => {
    const database = await create();
    const stores = await database.open();
    const { receipts } = stores;
    await breakLog(database);
    for (const callId of ['one', 'two']) {
      await expect(receipts.append(sampleEntry({ callId }))).rejects.toThrow();
    }
    expect(receipts.health).toEqual({ pending: 2, lost: 0 });
    await repairLog(database);
    await expect.poll(() => receipts.health, WAIT).toEqual({ pending: 0, lost: 0 });
    expect(await callIds(stores, { limit: 10 })).toEqual(['two', 'one']);
  });

  it('is written once where another process has written the same receipt meanwhile', async () => {
    const database = await create();
    const [one, two] = [await database.open(), await database.open()];
    await breakLog(database);
    await expect(one.receipts.append(sampleEntry({ callId: 'same' }))).rejects.toThrow();
    await repairLog(database);
    await two.receipts.append(sampleEntry({ callId: 'same' })).catch(() => {});
    await expect.poll(() => one.receipts.health, WAIT).toEqual({ pending: 0, lost: 0 });
    expect(await callIds(one, { limit: 10 })).toEqual(['same']);
  });

  it('is not retried for an intent: its call is refused', async () => {
    const database = await create();
    const stores = await database.open();
    await breakLog(database);
    await expect(stores.receipts.append(intentOf('one'))).rejects.toThrow();
    expect(stores.receipts.health).toEqual({ pending: 0, lost: 0 });
    await repairLog(database);
    expect(await stores.receipts.read(0, 10)).toEqual([]);
  });

  it('is attempted once more when the store is closed', async () => {
    const database = await create();
    const lost: LogEntry[] = [];
    const stores = await database.open({ onLostEntries: (entries) => lost.push(...entries) });
    await breakLog(database);
    await expect(stores.receipts.append(sampleEntry({ callId: 'one' }))).rejects.toThrow();
    await repairLog(database);
    await stores.close();
    expect(lost).toEqual([]);
    expect(await callIds(await database.open(), { limit: 10 })).toEqual(['one']);
  });

  it('is reported as lost when the store is closed before it could be written', async () => {
    const database = await create();
    const lost: string[] = [];
    const stores = await database.open({ onLostEntries: (entries) => lost.push(...entries.map(callIdOf)) });
    await breakLog(database);
    for (const callId of ['one', 'two']) {
      await expect(stores.receipts.append(sampleEntry({ callId }))).rejects.toThrow();
    }
    await stores.close();
    expect(lost).toEqual(['one', 'two']);
    expect(stores.receipts.health).toEqual({ pending: 0, lost: 2 });
    await repairLog(database);
  });
});
