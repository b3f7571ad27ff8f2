import { expect, it } from 'vitest';
import { InFlightCalls } from './in-flight-calls.ts';

it('cancels the call of that session and that id, and no other', () => {
  const underWay = new InFlightCalls();
  const one = underWay.begin('a', 1);
  const others = [
    underWay.begin('b', 1),
    underWay.begin('a', 2),
    underWay.begin('a', '1'),
    underWay.begin(undefined, 1),
  ];
  underWay.cancel('a', 1);
  expect(one.signal.aborted).toBe(true);
  expect(others.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
});

it('forgets a call that has ended', () => {
  const underWay = new InFlightCalls();
  const call = underWay.begin('a', 1);
  expect(underWay.count).toBe(1);
  call.end();
  underWay.cancel('a', 1);
  expect(call.signal.aborted).toBe(false);
  expect(underWay.count).toBe(0);
});

it('keeps a later call apart from an earlier one with the same id', () => {
  const underWay = new InFlightCalls();
  const earlier = underWay.begin('a', 1);
  const later = underWay.begin('a', 1);
  earlier.end();
  underWay.cancel('a', 1);
  expect(later.signal.aborted).toBe(true);
});

it('tells when the last call has ended, or stops waiting', async () => {
  const underWay = new InFlightCalls();
  await underWay.waitUntilIdle(60_000);
  const calls = [underWay.begin('a', 1), underWay.begin(undefined, 2)];
  const order: string[] = [];
  const ended = underWay.waitUntilIdle(60_000).then(() => order.push('told'));
  for (const call of calls) {
    await Promise.resolve();
    order.push('end');
    call.end();
  }
  await ended;
  expect(order).toEqual(['end', 'end', 'told']);
  const stuck = underWay.begin('a', 3);
  await underWay.waitUntilIdle(1);
  underWay.cancelAll();
  expect(stuck.signal.aborted).toBe(true);
});
