import { describe, expect, it } from 'vitest';
import { CONTESTANTS } from '../bench/discovery/contestants.ts';
import { readSet } from '../bench/discovery/data.ts';
import { measure } from '../bench/discovery/measure.ts';

const own = (file: string): string => new URL(`../bench/discovery/own/${file}`, import.meta.url).pathname;
const set = readSet('own', own('catalog.jsonl'), own('queries.jsonl'));
const [bm25f, toolgate] = ['bm25f', 'toolgate'].map((name) =>
  measure(CONTESTANTS.find((contestant) => contestant.name === name)!, set),
);

describe('the right tool', () => {
  it('is among the first five for 17 of 20 requests of our own set', () => {
    expect(toolgate!.recall5).toBeGreaterThanOrEqual(0.85);
  });

  it('is found where words alone do not find it', () => {
    expect(toolgate!.recall5ByKind.paraphrase!).toBeGreaterThan(bm25f!.recall5ByKind.paraphrase! + 0.1);
  });

  it('is found the same way again', () => {
    const { p50Ms: _, p95Ms: __, buildMs: ___, ...again } = measure(CONTESTANTS.at(-1)!, set);
    expect(toolgate).toMatchObject(again);
  });
});
