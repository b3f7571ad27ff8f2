import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Afterwards } from './afterwards.ts';

test('what is added is dealt with later, once and in its order, whatever its number', async () => {
  const dealt: number[] = [];
  const afterwards = new Afterwards<number>((thing) => dealt.push(thing));
  const things = Array.from({ length: 100 }, (_, i) => i);
  for (const thing of things) afterwards.add(thing);
  expect(dealt).toEqual([]);
  await expect.poll(() => dealt.length).toBe(100);
  expect(dealt).toEqual(things);
  afterwards.add(100);
  await nextTurn();
  expect(dealt.at(-1)).toBe(100);
});

test('a few at a time: others have their turn in between', async () => {
  const dealt: number[] = [];
  const afterwards = new Afterwards<number>((thing) => dealt.push(thing));
  for (let i = 0; i < 100; i++) afterwards.add(i);
  await nextTurn();
  expect(dealt.length).toBeGreaterThan(0);
  expect(dealt.length).toBeLessThan(100);
  afterwards.finish();
  expect(dealt).toHaveLength(100);
});

test('one that cannot be dealt with keeps nothing else from it', async () => {
  const dealt: string[] = [];
  const afterwards = new Afterwards<string>((thing) => {
    if (thing === 'bad') throw new Error('cannot');
    dealt.push(thing);
  });
  for (const thing of ['a', 'bad', 'b']) afterwards.add(thing);
  await nextTurn();
  expect(dealt).toEqual(['a', 'b']);
});
