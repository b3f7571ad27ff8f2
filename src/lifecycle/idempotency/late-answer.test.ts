import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../contract/errors/fault.ts';
import { cancelledByCaller } from '../upstream/deadline.ts';
import { withGracePeriod } from './late-answer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const outOfTime = new Fault('DEADLINE_EXCEEDED', 'too late');

describe('the patience for a late answer', () => {
  it('goes on for half a minute after the deadline, and ends for the same reason', async () => {
    const deadline = new AbortController();
    const givenUp = withGracePeriod(deadline.signal);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(givenUp.aborted).toBe(false);
    deadline.abort(outOfTime);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(givenUp.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(givenUp.reason).toBe(outOfTime);
  });

  it('ends with the caller’s where it cancels', () => {
    const cancelling = new AbortController();
    const givenUp = withGracePeriod(cancelling.signal);
    const reason = cancelledByCaller();
    cancelling.abort(reason);
    expect(givenUp.reason).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
