import { describe, expect, it } from 'vitest';
import { type QuerySet, readSet } from './data.ts';
import { samplesOf } from './growth.ts';
import { growTo } from './synthetic.ts';

const own = (file: string): string => new URL(`own/${file}`, import.meta.url).pathname;
const set = readSet('own', own('catalog.jsonl'), own('queries.jsonl'));

const hasAllRelevant = ({ names, queries }: QuerySet): boolean =>
  queries.every(({ relevant }) => [...relevant].every((tool) => names.includes(tool)));

describe('samplesOf', () => {
  it.each([10, 30, 51])(
    'makes catalogs of %i tools that have each query once, with all of its relevant tools',
    (size) => {
      const samples = samplesOf(size, set);
      expect(samples.flatMap(({ queries }) => queries)).toEqual(set.queries);
      for (const sample of samples) {
        expect(sample.tools.length).toBe(size);
        expect(sample.tools.map(({ id }) => id)).toEqual(sample.names);
        expect(hasAllRelevant(sample)).toBe(true);
      }
    },
  );

  it('is deterministic and makes different catalogs', () => {
    expect(samplesOf(10, set)).toEqual(samplesOf(10, set));
    const catalogs = samplesOf(10, set).map(({ names }) => names.join());
    expect(new Set(catalogs).size).toBe(catalogs.length);
  });
});

describe('growTo', () => {
  const grown = growTo(2_000, set);

  it('keeps the real tools first and adds synthetic ones with unique names', () => {
    expect(grown.tools.length).toBe(2_000);
    expect(grown.names.slice(0, set.names.length)).toEqual(set.names);
    expect(new Set(grown.names).size).toBe(2_000);
    expect(grown.queries).toBe(set.queries);
  });

  it('is deterministic and uses only words of the real catalog', () => {
    expect(growTo(2_000, set)).toEqual(grown);
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
