import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PruneRequest, ReceiptLog } from '../../contract/ports/receipt-log.ts';
import { daysAgo, startRetention } from './retention.ts';

const HOUR_MS = 3_600_000;

let prunes: PruneRequest[];
let failure: Error | undefined;
let errors: unknown[];
let stop: () => void;

function start(keepDays: number): void {
  const log: Pick<ReceiptLog, 'prune'> = {
    prune: async (request) => {
      prunes.push(request);
      if (failure) throw failure;
      return 1;
    },
  };
  stop = startRetention(log as ReceiptLog, { keepDays, onError: (cause) => errors.push(cause) });
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 30) });
  prunes = [];
  failure = undefined;
  errors = [];
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

describe('startRetention', () => {
  it('prunes entries that are older than the given days, every hour', async () => {
    start(30);
    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect(prunes.map(({ before }) => before)).toEqual([
      '2026-05-31T00:01:00.000Z',
      '2026-05-31T01:01:00.000Z',
      '2026-05-31T02:01:00.000Z',
    ]);
    expect(prunes[0]!.principalId).toBe('gateway:retention');
  });

  it('does not prune in the first minute, in which a single command ends', async () => {
    start(30);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(prunes).toEqual([]);
  });

  it('never prunes with 0 days', async () => {
    start(0);
    await vi.advanceTimersByTimeAsync(48 * HOUR_MS);
    expect(prunes).toEqual([]);
  });

  it('reports a failure and continues', async () => {
    start(30);
    failure = new Error('The store is not available.');
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(errors).toEqual([failure, failure]);
    expect(prunes).toHaveLength(2);
  });

  it('stops', async () => {
    start(30);
    stop();
    await vi.advanceTimersByTimeAsync(48 * HOUR_MS);
    expect(prunes).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('daysAgo counts back from now', () => {
  start(0);
  expect(daysAgo(1)).toBe('2026-06-29T00:00:00.000Z');
});
