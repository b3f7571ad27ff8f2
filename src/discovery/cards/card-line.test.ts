import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';
import { CARD_MAX_TOKENS, CARD_TARGET_TOKENS, cardLine, fitCard, truncate } from './card-line.ts';

const CARD: ChoiceCard = {
  id: 'github:create_issue@1.4.0',
  name: 'create_issue',
  description: 'Create an issue.',
  tags: [],
  kind: 'tool',
  namespace: 'github',
  hasSchema: true,
  costHint: 0,
  hasSideEffects: false,
  safety: '',
};

describe('cardLine', () => {
  it.each<[string, Partial<ChoiceCard>, string]>([
    ['has the id, the kind and the description', {}, 'github:create_issue@1.4.0 (tool): Create an issue.'],
    ['omits an empty description', { description: '' }, 'github:create_issue@1.4.0 (tool)'],
    ['lists the tags', { tags: ['a', 'b'] }, 'github:create_issue@1.4.0 (tool): Create an issue. [a, b]'],
    [
      'marks a destructive tool',
      { safety: 'destructive', hasSideEffects: true },
      'github:create_issue@1.4.0 (tool): Create an issue. !destructive',
    ],
    [
      'marks a read-only tool',
      { safety: 'read_only' },
      'github:create_issue@1.4.0 (tool): Create an issue. !read-only',
    ],
    [
      'marks side effects',
      { hasSideEffects: true },
      'github:create_issue@1.4.0 (tool): Create an issue. !side-effects',
    ],
    ['shows the cost', { costHint: 0.25 }, 'github:create_issue@1.4.0 (tool): Create an issue. cost=0.25'],
    [
      'puts tags before the mark and the cost',
      { tags: ['x'], safety: 'destructive', costHint: 2 },
      'github:create_issue@1.4.0 (tool): Create an issue. [x] !destructive cost=2',
    ],
    ['omits the score', { score: 3.5 }, 'github:create_issue@1.4.0 (tool): Create an issue.'],
    [
      'shows the path of a namespace as a namespace',
      { id: '/github', kind: 'internal', description: '2 tools: a, b' },
      '/github (namespace): 2 tools: a, b',
    ],
    [
      'shows a longer path as a group',
      { id: '/github/issue', kind: 'internal', description: '1 tool: a' },
      '/github/issue (group): 1 tool: a',
    ],
    [
      'shows an internal card without a path as internal',
      { id: '__cache_breakpoint__', kind: 'internal', description: '' },
      '__cache_breakpoint__ (internal)',
    ],
  ])('%s', (_, more, line) => {
    expect(cardLine({ ...CARD, ...more })).toBe(line);
  });
});

describe('truncate', () => {
  const text =
    'Creates an issue. It notifies everybody! Does it matter? Yes, a lot of people read along every day.';

  it('returns a text that fits unchanged', () => {
    expect(truncate(text, countTokens(text), countTokens)).toBe(text);
  });

  it.each([
    [20, 'Creates an issue. It notifies everybody! Does it matter?'],
    [11, 'Creates an issue. It notifies everybody!'],
    [6, 'Creates an issue.'],
  ])('keeps the longest run of whole sentences: %i tokens', (budget, expected) => {
    expect(truncate(text, budget, countTokens)).toBe(expected);
  });

  it('cuts inside a sentence with an ellipsis where no sentence fits', () => {
    expect(truncate(text, 3, countTokens)).toBe('Creates an…');
    expect(truncate('word '.repeat(100), 5, countTokens)).toBe('word word word word…');
    expect(truncate(text, 0, countTokens)).toBe('');
  });

  it('does not end a sentence at the dot of a domain name', () => {
    expect(truncate('See example.com for more of it than anybody would want to read', 5, countTokens)).toBe(
      'See example.com for…',
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (hostile, budget) => {
        const cut = truncate(hostile, budget, countTokens);
        if (hostile.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('fitCard', () => {
  const long = {
    ...CARD,
    description: 'Very long words stand here one after another without any end. '.repeat(40),
  };

  it('shortens the description and nothing else', () => {
    const fitted = fitCard(long, countTokens);
    expect({ ...fitted, description: '' }).toEqual({ ...long, description: '' });
    expect(long.description.startsWith(fitted.description)).toBe(true);
    expect(fitted.description).toMatch(/end\.$/);
    expect(countTokens(cardLine(fitted))).toBeLessThanOrEqual(CARD_TARGET_TOKENS);
  });

  it('removes the description where the rest uses up the budget', () => {
    const crowded = { ...long, id: `n:${'zq'.repeat(28)}#01234567` };
    const bare = countTokens(cardLine({ ...crowded, description: '' }));
    expect(bare).toBeGreaterThan(CARD_TARGET_TOKENS - 3);
    expect(bare).toBeLessThan(CARD_MAX_TOKENS);
    expect(fitCard(crowded, countTokens).description).toBe('');
  });

  it('throws where the card exceeds the limit without its description', () => {
    const endless = { ...CARD, id: `n:${'zq'.repeat(100)}#01234567` };
    expect(() => fitCard(endless, countTokens)).toThrow(CatalogError);
    expect(() => fitCard({ ...endless, description: '' }, countTokens)).toThrow(CatalogError);
  });

  it('fits any description, with the same result each time', () => {
    const words = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.lorem({ maxCount: 60 }),
      fc.lorem({ mode: 'sentences', maxCount: 12 }),
      fc
        .array(fc.constantFrom('<|endoftext|>', '…', '。', '🎉', 'ﷺ', ' ', '. '), { maxLength: 120 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(words, fc.constantFrom('', 'destructive', 'read_only'), (description, safety) => {
        const card: ChoiceCard = { ...CARD, description, safety: safety as ChoiceCard['safety'] };
        const fitted = fitCard(card, countTokens);
        expect(countTokens(`${cardLine(fitted)}\n`)).toBeLessThanOrEqual(CARD_TARGET_TOKENS);
        expect(description.startsWith(fitted.description.replace(/…$/, ''))).toBe(true);
        expect(fitCard(card, countTokens)).toEqual(fitted);
        expect(fitCard(fitted, countTokens)).toEqual(fitted);
      }),
      { numRuns: 300 },
    );
  });
});
