import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { browseContextOf, realisticTools } from '../../../test/catalogs.ts';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import { compileAffordances } from './compile.ts';
import { type Item, knapsack } from './knapsack.ts';
import { toolIndex } from './tool-index.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    filter: { type: 'object', properties: { by: { type: 'string' } } },
  },
  required: ['title'],
};
const shop = browseContextOf({
  shop: realisticTools(120).map((tool) => ({ ...tool, inputSchema: SCHEMA })),
  mail: [{ name: 'send', description: 'Sends a letter.', hints: { readOnly: false }, inputSchema: SCHEMA }],
});

describe('compileAffordances', () => {
  it('never exceeds the budget, and reports the tokens left', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6_000 }),
        fc.constantFrom('create issue', 'send a letter', 'zzz'),
        (budget, objective) => {
          const { text, tokens, tokensLeft } = compileAffordances(shop, objective, budget);
          expect(countTokens(text)).toBe(tokens);
          expect(tokens).toBeLessThanOrEqual(budget);
          expect(tokensLeft).toBe(budget - tokens);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('indexes every tool, includes matching schemas and references other candidates', () => {
    const { text, indexed, schemas, references } = compileAffordances(shop, 'send a letter', 3_000);
    expect(indexed).toBe(121);
    expect(schemas).toContain(shop.snapshot.resolve('tool', '/mail/send')!.id);
    expect(text).toContain('"input":{"type":"object"');
    expect(schemas.filter((id) => references.includes(id))).toEqual([]);
  });

  it('points to the nested schema parts that a reference omits', () => {
    const { references, text } = compileAffordances(shop, 'create issue', 2_300);
    expect(references.length).toBeGreaterThan(0);
    expect(text).toContain('details: #/properties/filter');
  });

  it('limits the index to half of a budget that is too small for all tools', () => {
    const { indexed, schemas } = compileAffordances(shop, 'create issue', 300);
    expect(indexed).toBeGreaterThan(0);
    expect(indexed).toBeLessThan(121);
    expect(schemas.length).toBeGreaterThan(0);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses the budget %s', (budget) => {
    expect(() => compileAffordances(shop, 'x', budget)).toThrow('whole number');
  });

  it('refuses an empty objective', () => {
    expect(() => compileAffordances(shop, ' ', 100)).toThrow('must not be empty');
  });
});

describe('toolIndex', () => {
  it('costs five to ten tokens per tool', () => {
    const { contracts } = shop.snapshot;
    const each = countTokens(toolIndex(contracts, countTokens)) / contracts.length;
    expect(each).toBeGreaterThanOrEqual(5);
    expect(each).toBeLessThanOrEqual(10);
  });
});

describe('knapsack', () => {
  const item = fc.record({ value: fc.integer({ min: 0, max: 100 }), cost: fc.integer({ min: 1, max: 30 }) });
  const totalValue = (items: readonly Item[], chosen: readonly number[]): number =>
    chosen.reduce((sum, index) => sum + items[index]!.value, 0);

  it('finds the selection with the highest value', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 10 }), fc.integer({ min: 0, max: 120 }), (items, capacity) => {
        const chosen = knapsack(items, capacity);
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen.reduce((sum, index) => sum + items[index]!.cost, 0)).toBeLessThanOrEqual(capacity);
        let best = 0;
        for (let subset = 0; subset < 2 ** items.length; subset++) {
          const picked = [...items.keys()].filter((index) => (subset >> index) & 1);
          if (picked.reduce((sum, index) => sum + items[index]!.cost, 0) > capacity) continue;
          best = Math.max(best, totalValue(items, picked));
        }
        expect(totalValue(items, chosen)).toBe(best);
      }),
      { numRuns: 100 },
    );
  });
});
