import { describe, expect, it } from 'vitest';
import { CONTESTANTS } from '../bench/discovery/contestants.ts';
import { readSet } from '../bench/discovery/data.ts';
import { measure } from '../bench/discovery/measure.ts';

const own = (file: string): string => new URL(`../bench/discovery/own/${file}`, import.meta.url).pathname;
const set = readSet('own', own('catalog.jsonl'), own('queries.jsonl'));
const [bm25f, toolgate] = ['bm25f', 'toolgate'].map((name) =>
  measure(CONTESTANTS.find((contestant) => contestant.name === name)!, set),
);

describe('discovery quality on the own set', () => {
  it('reaches a recall@5 of at least 0.85', () => {
    expect(toolgate!.recall5).toBeGreaterThanOrEqual(0.85);
  });

  it('finds paraphrased requests better than BM25F', () => {
    expect(toolgate!.recall5ByKind.paraphrase!).toBeGreaterThan(bm25f!.recall5ByKind.paraphrase! + 0.1);
  });

  it('gives the same results in a second run', () => {
    const { p50Ms: _, p95Ms: __, buildMs: ___, ...again } = measure(CONTESTANTS.at(-1)!, set);
    expect(toolgate).toMatchObject(again);
  });
});
