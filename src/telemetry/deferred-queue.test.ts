import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeferredQueue } from './deferred-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const things = Array.from({ length: 100 }, (_, i) => i);

function filled(): { dealt: number[]; afterwards: DeferredQueue<number> } {
  const dealt: number[] = [];
  const afterwards = new DeferredQueue<number>((thing) => dealt.push(thing));
  for (const thing of things) afterwards.add(thing);
  return { dealt, afterwards };
}

test('what is added is dealt with later, once and in its order, whatever its number', async () => {
  const { dealt, afterwards } = filled();
  await nextTurn();
  expect(dealt).toEqual([]);
  vi.runAllTimers();
  await expect.poll(() => dealt.length).toBe(100);
  expect(dealt).toEqual(things);
  afterwards.add(100);
  vi.runAllTimers();
  expect(dealt.at(-1)).toBe(100);
});

test('a few at a time: others have their turn in between', () => {
  const { dealt, afterwards } = filled();
  vi.runAllTimers();
  expect(dealt.length).toBeGreaterThan(0);
  expect(dealt.length).toBeLessThan(100);
  afterwards.finish();
  expect(dealt).toEqual(things);
});

test('what is finished at once is not dealt with again', async () => {
  const { dealt, afterwards } = filled();
  afterwards.finish();
  expect(dealt).toEqual(things);
  vi.runAllTimers();
  await nextTurn();
  expect(dealt).toEqual(things);
  afterwards.add(100);
  vi.runAllTimers();
  expect(dealt).toHaveLength(101);
});

test('one that cannot be dealt with keeps nothing else from it', () => {
  const dealt: string[] = [];
  const afterwards = new DeferredQueue<string>((thing) => {
    if (thing === 'bad') throw new Error('cannot');
    dealt.push(thing);
  });
  for (const thing of ['a', 'bad', 'b']) afterwards.add(thing);
  vi.runAllTimers();
  expect(dealt).toEqual(['a', 'b']);
});
