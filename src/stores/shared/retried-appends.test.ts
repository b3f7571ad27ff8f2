import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DuplicateEntryError, type LogEntry } from '../../contract/ports/receipt-log.ts';
import { callIdOf } from '../../toolkit/store-cases/log-samples.ts';
import { sampleEntry } from '../../toolkit/store-suite.ts';
import { RetriedAppends } from './retried-appends.ts';

let failure: Error | undefined;
let written: string[];
let attempts: number;
let lost: string[];
let log: RetriedAppends;

const AWAY = new Error('The store is not available.');
const REFUSED = new Error('The value is too long.');

beforeEach(() => {
  vi.useFakeTimers();
  failure = undefined;
  written = [];
  attempts = 0;
  lost = [];
  log = new RetriedAppends({
    write: async (entry: LogEntry) => {
      attempts++;
      if (failure) throw failure;
      return written.push(callIdOf(entry));
    },
    isRefusal: (error) => error === REFUSED,
    onLost: (entries) => lost.push(...entries.map(callIdOf)),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function appendFailing(callId: string): Promise<void> {
  await expect(log.append(sampleEntry({ callId }))).rejects.toBe(failure);
}

describe('RetriedAppends', () => {
  it('retries with growing pauses, in the order of the appends', async () => {
    failure = AWAY;
    for (const callId of ['a', 'b', 'c']) await appendFailing(callId);
    expect(log.health).toEqual({ pending: 3, lost: 0 });
    await vi.advanceTimersByTimeAsync(60_000);
    const during = attempts;
    // Each attempt writes all three.
    expect(during).toBeGreaterThan(3 + 3 * 5);
    expect(during).toBeLessThan(3 + 3 * 15);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(written).toEqual(['a', 'b', 'c']);
    expect(log.health).toEqual({ pending: 0, lost: 0 });
  });

  it('makes no attempt while nothing is pending', async () => {
    await log.append(sampleEntry({ callId: 'a' }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not retry a duplicate or a refused entry', async () => {
    for (const error of [REFUSED, new DuplicateEntryError(sampleEntry({ callId: 'a' }))]) {
      failure = error;
      await appendFailing('a');
    }
    expect(log.health).toEqual({ pending: 0, lost: 0 });
  });

  it('takes a duplicate in a retry for written, and gives up an entry that is refused then', async () => {
    failure = AWAY;
    await appendFailing('a');
    failure = new DuplicateEntryError(sampleEntry({ callId: 'a' }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.health).toEqual({ pending: 0, lost: 0 });
    failure = AWAY;
    await appendFailing('b');
    failure = REFUSED;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.health).toEqual({ pending: 0, lost: 1 });
    expect(lost).toEqual(['b']);
  });

  it('gives up the oldest entries when too many are pending', async () => {
    failure = AWAY;
    for (let n = 0; n < 10_003; n++) await log.append(sampleEntry({ callId: `${n}` })).catch(() => {});
    expect(log.health).toEqual({ pending: 10_000, lost: 3 });
    expect(lost).toEqual(['0', '1', '2']);
  });

  it('attempts what is pending once more when it is closed, and gives up the rest', async () => {
    failure = AWAY;
    await appendFailing('a');
    const closing = log.close();
    await closing;
    expect(attempts).toBe(2);
    expect(lost).toEqual(['a']);
    await appendFailing('late');
    expect(lost).toEqual(['a', 'late']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
