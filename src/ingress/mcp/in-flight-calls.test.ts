import { describe, expect, it } from 'vitest';
import { InFlightCalls, isCancelledByClient } from './in-flight-calls.ts';

it('cancels only the call with the same session and request id', () => {
  const inFlight = new InFlightCalls();
  const one = inFlight.begin('a', 1);
  const others = [
    inFlight.begin('b', 1),
    inFlight.begin('a', 2),
    inFlight.begin('a', '1'),
    inFlight.begin(undefined, 1),
  ];
  inFlight.cancel('a', 1, 'stop');
  expect(one.signal.aborted).toBe(true);
  expect(others.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
});

it('forgets a call that has ended', () => {
  const inFlight = new InFlightCalls();
  const call = inFlight.begin('a', 1);
  expect(inFlight.count).toBe(1);
  call.end();
  inFlight.cancel('a', 1, 'stop');
  expect(call.signal.aborted).toBe(false);
  expect(inFlight.count).toBe(0);
});

it('keeps a later call cancellable when an earlier one with the same id ends', () => {
  const inFlight = new InFlightCalls();
  const earlier = inFlight.begin('a', 1);
  const later = inFlight.begin('a', 1);
  earlier.end();
  inFlight.cancel('a', 1, 'stop');
  expect(later.signal.aborted).toBe(true);
});

describe('drain', () => {
  it('waits until the last call has ended', async () => {
    const inFlight = new InFlightCalls();
    const calls = [inFlight.begin('a', 1), inFlight.begin(undefined, 2)];
    const order: string[] = [];
    const drained = inFlight.drain(60_000).then(() => order.push('drained'));
    expect(inFlight.isDraining).toBe(true);
    for (const call of calls) {
      await Promise.resolve();
      order.push('end');
      call.end();
    }
    await drained;
    expect(order).toEqual(['end', 'end', 'drained']);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('stops the calls that are left after the timeout, and waits for their end', async () => {
    const inFlight = new InFlightCalls();
    const stuck = inFlight.begin('a', 3);
    stuck.signal.addEventListener('abort', () => setImmediate(stuck.end));
    await inFlight.drain(1);
    expect(stuck.signal.reason).toMatchObject({
      code: 'CANCELLED',
      variant: 'shutdown',
      message: 'The gateway stopped before the call ended.',
    });
    expect(inFlight.count).toBe(0);
    expect(isCancelledByClient(stuck)).toBe(false);
  });

  it('stops a call that begins later at once', async () => {
    const inFlight = new InFlightCalls();
    await inFlight.drain(1);
    expect(inFlight.begin('a', 4).signal.reason).toMatchObject({ variant: 'shutdown' });
  });
});
