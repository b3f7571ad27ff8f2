import { expect, it } from 'vitest';
import { InFlightCalls } from './in-flight-calls.ts';

it('cancels only the call with the same session and request id', () => {
  const inFlight = new InFlightCalls();
  const one = inFlight.begin('a', 1);
  const others = [
    inFlight.begin('b', 1),
    inFlight.begin('a', 2),
    inFlight.begin('a', '1'),
    inFlight.begin(undefined, 1),
  ];
  inFlight.cancel('a', 1);
  expect(one.signal.aborted).toBe(true);
  expect(others.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
});

it('forgets a call that has ended', () => {
  const inFlight = new InFlightCalls();
  const call = inFlight.begin('a', 1);
  expect(inFlight.count).toBe(1);
  call.end();
  inFlight.cancel('a', 1);
  expect(call.signal.aborted).toBe(false);
  expect(inFlight.count).toBe(0);
});

it('keeps a later call cancellable when an earlier one with the same id ends', () => {
  const inFlight = new InFlightCalls();
  const earlier = inFlight.begin('a', 1);
  const later = inFlight.begin('a', 1);
  earlier.end();
  inFlight.cancel('a', 1);
  expect(later.signal.aborted).toBe(true);
});

it('waits until the last call has ended, or until the timeout', async () => {
  const inFlight = new InFlightCalls();
  await inFlight.waitUntilIdle(60_000);
  const calls = [inFlight.begin('a', 1), inFlight.begin(undefined, 2)];
  const order: string[] = [];
  const ended = inFlight.waitUntilIdle(60_000).then(() => order.push('idle'));
  for (const call of calls) {
    await Promise.resolve();
    order.push('end');
    call.end();
  }
  await ended;
  expect(order).toEqual(['end', 'end', 'idle']);
  const stuck = inFlight.begin('a', 3);
  await inFlight.waitUntilIdle(1);
  inFlight.cancelAll();
  expect(stuck.signal.aborted).toBe(true);
});
