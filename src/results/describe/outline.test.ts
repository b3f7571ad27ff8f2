import { expect, it } from 'vitest';
import { outlineOf } from './outline.ts';

it('outlineOf limits width and depth', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`${'k'.repeat(100)}${i}`, { a: { b: 1 } }]),
  );
  expect(outlineOf(wide, 0)).toMatch(/, … 50 keys}$/);
  expect(outlineOf(wide, 0).length).toBeLessThan(2_000);
  let deep: unknown = 1;
  for (let i = 0; i < 5_000; i++) deep = i % 2 ? [deep] : { a: deep };
  expect(outlineOf(deep, 0).length).toBeLessThan(100);
});
