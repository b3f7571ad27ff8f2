import { describe, expect, it } from 'vitest';
import { type QuerySet, readSet } from './data.ts';
import { samplesOf } from './growth.ts';
import { grownTo } from './synthetic.ts';

const own = (file: string): string => new URL(`own/${file}`, import.meta.url).pathname;
const set = readSet('own', own('catalog.jsonl'), own('queries.jsonl'));

const hasAllRelevant = ({ names, queries }: QuerySet): boolean =>
  queries.every(({ relevant }) => [...relevant].every((tool) => names.includes(tool)));

describe('smaller catalogs', () => {
  it.each([10, 30, 51])('of %i tools ask every query once, among its relevant tools and others', (size) => {
    const samples = samplesOf(size, set);
    expect(samples.flatMap(({ queries }) => queries)).toEqual(set.queries);
    for (const sample of samples) {
      expect(sample.tools.length).toBe(size);
      expect(sample.tools.map(({ id }) => id)).toEqual(sample.names);
      expect(hasAllRelevant(sample)).toBe(true);
    }
  });

  it('are the same every time, and not all the same', () => {
    expect(samplesOf(10, set)).toEqual(samplesOf(10, set));
    const catalogs = samplesOf(10, set).map(({ names }) => names.join());
    expect(new Set(catalogs).size).toBe(catalogs.length);
  });
});

describe('larger catalogs', () => {
  const grown = grownTo(2_000, set);

  it('have the real tools first, then as many made ones as are wanted, each with a name of its own', () => {
    expect(grown.tools.length).toBe(2_000);
    expect(grown.names.slice(0, set.names.length)).toEqual(set.names);
    expect(new Set(grown.names).size).toBe(2_000);
    expect(grown.queries).toBe(set.queries);
  });

  it('are the same every time, and made of words that the real one has', () => {
    expect(grownTo(2_000, set)).toEqual(grown);
    const wordsIn = (tools: QuerySet['tools']): Set<string> =>
      new Set(
        tools.flatMap(({ name, namespace, description }) =>
          `${name} ${namespace} ${description}`.split(/[\s_-]+/),
        ),
      );
    const real = wordsIn(set.tools);
    expect([...wordsIn(grown.tools)].filter((word) => !real.has(word))).toEqual([]);
  });
});
