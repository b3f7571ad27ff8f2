import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../contract/errors/fault.ts';
import { cancelledBy } from '../upstream/deadline.ts';
import { withGracePeriod } from './late-answer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const deadlineFault = new Fault('DEADLINE_EXCEEDED', 'too late');

describe('withGracePeriod', () => {
  it('fires thirty seconds after the deadline, with the same reason', async () => {
    const deadline = new AbortController();
    const abandoned = withGracePeriod(deadline.signal);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(abandoned.aborted).toBe(false);
    deadline.abort(deadlineFault);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(abandoned.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(abandoned.reason).toBe(deadlineFault);
  });

  it('fires at once when the caller cancels', () => {
    const cancelled = new AbortController();
    const abandoned = withGracePeriod(cancelled.signal);
    const reason = cancelledBy(AbortSignal.abort());
    cancelled.abort(reason);
    expect(abandoned.reason).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
