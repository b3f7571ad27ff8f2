import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Offered, realisticTools, shelfOf } from '../../test/catalogs.ts';
import { countTokens } from '../app/wiring/tokenizer.ts';
import type { BrowseAnswer, BrowseRequest } from '../contract/browse.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { UpstreamState, UpstreamStatus } from '../contract/upstream-state.ts';
import { type BrowseContext, browse } from './browse.ts';
import { cardLine } from './cards/card-line.ts';
import { segmentFor } from './tree/tree.ts';

const MAIL: readonly Offered[] = [
  { name: 'send_message', description: 'Send a message to somebody.' },
  { name: 'list_messages', description: 'List messages.' },
  { name: 'archive', description: 'Put a message away.' },
];

function expectWithinBudget({ cards, text }: BrowseAnswer): void {
  expect(countTokens(text)).toBeLessThanOrEqual(80 * cards.length + 32);
}

function refusal(
  shelf: BrowseContext,
  request: BrowseRequest,
): { code: string; variant: string | undefined } {
  try {
    browse(shelf, request);
  } catch (thrown) {
    if (thrown instanceof Fault) return { code: thrown.code, variant: thrown.variant };
    throw thrown;
  }
  throw new Error('nothing was refused');
}

function down(namespace: string, kind: UpstreamState['kind'] = 'unavailable'): UpstreamStatus {
  const state = { kind, since: '', reason: 'x', retryAt: undefined } as UpstreamState;
  return { namespace, state, tools: 0 };
}

describe('a query', () => {
  it('gives cards with scores for machines and lines without for models', () => {
    const answer = browse(shelfOf({ mail: MAIL }), { query: 'send message' });
    expect(answer.cards.map(({ name }) => name)).toEqual(['send_message', 'list_messages', 'archive']);
    expect(answer.cards.every(({ score }) => score! > 0)).toBe(true);
    expect(answer.text).toBe(answer.cards.map(cardLine).join('\n'));
    expect(answer.text).not.toContain('score');
    expect(answer.unavailable).toEqual([]);
  });

  it('gives cards by score, then by id, with no more digits than are told', () => {
    const { cards } = browse(shelfOf({ shop: realisticTools(400) }), {
      query: 'create issue label',
      topK: 50,
    });
    expect(cards.length).toBeGreaterThan(20);
    const sorted = cards.toSorted((a, b) => b.score! - a.score! || (a.id < b.id ? -1 : 1));
    expect(cards).toEqual(sorted);
    expect(new Set(cards.map(({ score }) => score)).size).toBeLessThan(cards.length);
    for (const { score } of cards) expect(String(score)).toMatch(/^\d+(\.\d{1,4})?$/);
  });

  it('gives ten cards unless told otherwise, at most fifty', () => {
    const shelf = shelfOf({ shop: realisticTools(120) });
    expect(browse(shelf, { query: 'issue' }).cards).toHaveLength(10);
    expect(browse(shelf, { query: 'repository', topK: 1 }).cards).toHaveLength(1);
    expect(browse(shelf, { query: 'repository', topK: 50 }).cards).toHaveLength(50);
  });

  it.each([0, -1, 51, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', true, [], {}])(
    'with a top_k of %o is refused, and so is a path',
    (topK) => {
      const shelf = shelfOf({ mail: MAIL });
      expect(refusal(shelf, { query: 'x', topK })).toEqual({ code: 'INVALID_INPUT', variant: undefined });
      expect(refusal(shelf, { path: '/', topK })).toEqual({ code: 'INVALID_INPUT', variant: undefined });
    },
  );

  it.each(['', ' ', '\t\n', 7, null, [], {}, 'x'.repeat(2_001)])('of %o is refused', (query) => {
    expect(refusal(shelfOf({ mail: MAIL }), { query })).toEqual({
      code: 'INVALID_INPUT',
      variant: undefined,
    });
  });

  it('that matches nothing says so', () => {
    const answer = browse(shelfOf({ mail: MAIL }), { query: 'quantum' });
    expect(answer.cards).toEqual([]);
    expect(answer.text).toBe('Nothing matches. Use other words, or walk from "/".');
  });

  it.each([
    ['отправить сообщение', 'Отправить сообщение пользователю'],
    ['ПОЛЬЗОВАТЕЛЮ', 'Отправить сообщение пользователю'],
    ['消息', '向用户发送消息'],
    ['发送', '向用户发送消息'],
    ['用', '向用户发送消息'],
    ['ファイル', 'サーバーのファイルを読む'],
    ['파일', '서버에서 파일을 읽기'],
    ['résumé', 'Télécharge un résumé'],
    ['resume', 'Télécharge un résumé'],
    ['re\u0301sume\u0301', 'Télécharge un résumé'],
    ['straße', 'Sucht eine Straße'],
    ['φάκελος', 'Άνοιξε φάκελος'],
  ])('in another language finds what has its words: %s', (query, description) => {
    const shelf = shelfOf({ mail: [...MAIL, { name: 'foreign', description }] });
    expect(browse(shelf, { query }).cards.map(({ name }) => name)).toEqual(['foreign']);
  });
});

describe('the length of a list', () => {
  const scored = (scores: readonly number[]): BrowseContext => {
    const shelf = shelfOf({ shop: realisticTools(scores.length) });
    const { contracts } = shelf.snapshot;
    return { ...shelf, rank: () => scores.map((score, i) => ({ contract: contracts[i]!, score })) };
  };

  it.each([
    ['ends where less than half of the best score is left', [2, 1.9, 1.8, 1.7, 1.6, 1.1, 0.9, 0.8], 6],
    ['is never less than five for that', [2, 0.5, 0.4, 0.3, 0.2, 0.1], 5],
    ['is whole where nothing drops', [2, 2, 2, 2, 2, 2, 1], 7],
    ['is what there is', [2, 0.1], 2],
  ])('%s', (_, scores, length) => {
    expect(browse(scored(scores), { query: 'x', topK: 50 }).cards).toHaveLength(length);
  });
});

describe('a request for several things', () => {
  const shelf = shelfOf({
    ...{ mail: MAIL, weather: [{ name: 'get_forecast', description: 'Weather forecast of a city.' }] },
    flights: [{ name: 'search_flights', description: 'Find flights between two cities.' }],
  });
  const query =
    'Find flights between the two largest cities of the country for next Friday morning. Then send a message to my friend about it.';

  it('says which cards answer which part', () => {
    const { groups, text, cards } = browse(shelf, { query });
    expect(groups.map(({ asked }) => asked.slice(0, 12))).toEqual(['Find flights', 'Then send a ']);
    expect(groups[0]!.ids).toContain(cards.find(({ name }) => name === 'search_flights')!.id);
    expect(groups[1]!.ids).toContain(cards.find(({ name }) => name === 'send_message')!.id);
    const place = (name: string): number => cards.findIndex((card) => card.name === name) + 1;
    const [, first, second] = /^By part: Find flights between… ([\d,]+); Then send a… ([\d,]+)$/m.exec(text)!;
    expect(first!.split(',')).toContain(String(place('search_flights')));
    expect(second!.split(',')).toContain(String(place('send_message')));
  });

  it('is not made of a request for one', () => {
    const { groups, text } = browse(shelf, { query: 'send a message' });
    expect(groups).toEqual([]);
    expect(text).not.toContain('By part');
  });
});

describe('an explanation', () => {
  const shelf = shelfOf({
    mail: MAIL,
    finance: [{ name: 'create_refund', description: 'Refunds a charge.' }],
  });

  it('adds up to the score, and names the words', () => {
    const { cards, explanations } = browse(shelf, { query: 'reimburse a charge by message', explain: true });
    for (const { id, score } of cards) {
      const { signals, score: explained } = explanations![id]!;
      expect(explained).toBe(score);
      expect(signals.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score!, 3);
    }
    const refund = explanations![cards.find(({ name }) => name === 'create_refund')!.id]!;
    expect(refund.signals.find(({ signal }) => signal === 'words')!.because).toEqual(['charge']);
    expect(refund.signals.find(({ signal }) => signal === 'other words')!.because).toEqual([
      'reimburse → refund',
    ]);
  });

  it('is only there when asked for', () => {
    expect(browse(shelf, { query: 'message' })).not.toHaveProperty('explanations');
  });
});

describe('a path', () => {
  it('starts at the namespaces for every size of catalog', () => {
    for (const count of [1, 45, 400]) {
      const shelf = shelfOf({ zoo: [{ name: 'feed' }], shop: realisticTools(count) });
      const { cards } = browse(shelf, { path: '/' });
      expect(cards.map(({ id, kind }) => [id, kind])).toEqual([
        ['/shop', 'internal'],
        ['/zoo', 'internal'],
      ]);
      expect(cards[0]!.description).toMatch(new RegExp(`^${count} tools?: `));
    }
  });

  it('with a star is the path without it', () => {
    const shelf = shelfOf({ shop: realisticTools(60) });
    for (const path of ['/', '/shop', '/shop/issue', '/shop/create_issue']) {
      expect(browse(shelf, { path: path === '/' ? '/*' : `${path}/*` })).toEqual(browse(shelf, { path }));
    }
  });

  it('to a tool gives its card alone, from anywhere above it', () => {
    const shelf = shelfOf({ shop: realisticTools(60) });
    const [card] = browse(shelf, { path: '/shop/create_issue' }).cards;
    expect(card).toMatchObject({ kind: 'tool', name: 'create_issue' });
    expect(browse(shelf, { path: '/shop/issue/create_issue' }).cards).toEqual([card]);
  });

  it('is malformed or leads nowhere, and fails in no other way', () => {
    const shelf = shelfOf({ shop: realisticTools(60), mail: MAIL });
    const known = fc.constantFrom('shop', 'mail', 'create', 'create_issue', 'send_message', 'issue');
    const part = fc.oneof(known, fc.stringMatching(/^[a-z0-9_*-]{0,5}$/), fc.string({ maxLength: 4 }));
    const path = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
    );
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(path, (text) => {
        try {
          expect(browse(shelf, { path: text }).cards.length).toBeGreaterThan(0);
          outcomes.add('found');
        } catch (thrown) {
          if (!(thrown instanceof Fault)) throw thrown;
          outcomes.add(`${thrown.code} ${thrown.variant}`);
        }
      }),
      { numRuns: 500 },
    );
    expect([...outcomes].sort()).toEqual(['INVALID_INPUT path', 'TOOL_NOT_FOUND path', 'found']);
  });

  it.each([7, null, {}, []])('that is no text is refused: %o', (path) => {
    expect(refusal(shelfOf({ mail: MAIL }), { path })).toEqual({ code: 'INVALID_INPUT', variant: undefined });
  });

  it.each([{}, { query: 'x', path: '/' }, { topK: 3 }])('or a query, exactly one: %j', (request) => {
    expect(refusal(shelfOf({ mail: MAIL }), request)).toEqual({ code: 'INVALID_INPUT', variant: undefined });
  });

  it('of an empty catalog gives nothing and says so', () => {
    const answer = browse(shelfOf({}), { path: '/' });
    expect(answer.cards).toEqual([]);
    expect(answer.text).toMatch(/^Nothing matches/);
  });
});

const HOSTILE: readonly Offered[] = [
  'Create Issue',
  '../../etc/passwd',
  '数据',
  '-leading',
  'UPPER',
  'create',
  'create-group',
  'x'.repeat(200),
].map((name) => ({ name, description: `A tool called ${name}` }));

describe.each([1, 12, 45, 1_500])('walking through %i tools', (count) => {
  const shelf = shelfOf({
    shop: realisticTools(Math.ceil(count / 2)),
    bazaar: [...realisticTools(Math.floor(count / 2)), ...HOSTILE],
  });

  it('reaches every one from the root, within the budget of every answer', () => {
    const reached = new Set<string>();
    const seen = new Set<string>();
    const open = ['/'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      expect(seen.has(path)).toBe(false);
      seen.add(path);
      const answer = browse(shelf, { path });
      expectWithinBudget(answer);
      for (const card of answer.cards) {
        if (card.kind === 'internal') open.push(card.id);
        else reached.add(card.id);
      }
    }
    expect([...reached].sort()).toEqual(shelf.snapshot.contracts.map(({ id }) => id));
    expect(seen.has('/shop') && seen.has('/bazaar')).toBe(true);
  });

  it('finds each by its name under its namespace', () => {
    for (const contract of shelf.snapshot.contracts) {
      const { cards } = browse(shelf, { path: `/${contract.namespace}/${segmentFor(contract)}` });
      expect(cards.map(({ id }) => id)).toEqual([contract.id]);
    }
  });
});

describe('what a caller may not see', () => {
  const maySee: BrowseContext['maySee'] = ({ namespace }) => namespace !== 'secret';

  it('is in no answer and no count', () => {
    const shelf = shelfOf({ mail: MAIL, secret: realisticTools(60) }, { maySee });
    const without = shelfOf({ mail: MAIL });
    expect(browse(shelf, { path: '/' }).cards).toEqual(browse(without, { path: '/' }).cards);
    expect(browse(shelf, { query: 'create issue' }).cards).toEqual([]);
    expect(refusal(shelf, { path: '/secret' })).toEqual(refusal(shelf, { path: '/nothing' }));
    expect(refusal(shelf, { path: '/secret/create_issue' })).toEqual(refusal(shelf, { path: '/nothing/x' }));
  });

  it('takes no place among the best', () => {
    const secret = Array.from({ length: 30 }, (_, i) => ({ name: `send_message_${i}` }));
    const { cards } = browse(shelfOf({ mail: MAIL, secret }, { maySee }), { query: 'send message', topK: 3 });
    expect(cards).toHaveLength(3);
    expect(cards.every(({ namespace }) => namespace === 'mail')).toBe(true);
  });
});

describe('upstreams that are not there', () => {
  it('are named, and what is known of their tools is marked', () => {
    const shelf = shelfOf(
      { mail: MAIL, shop: realisticTools(3) },
      { upstreams: [down('mail'), down('db', 'starting')] },
    );
    const answer = browse(shelf, { path: '/' });
    expect(answer.cards.map(({ tags }) => tags)).toEqual([['unavailable'], []]);
    expect(answer.text.split('\n').at(-1)).toBe('Not available: mail (down), db (starting).');
    expect(answer.unavailable.map(({ namespace }) => namespace)).toEqual(['mail', 'db']);
    const [card] = browse(shelf, { query: 'archive' }).cards;
    expect(card).toMatchObject({ name: 'archive', tags: ['unavailable'] });
  });

  it('that are there are not', () => {
    const ready: UpstreamStatus = {
      namespace: 'mail',
      state: { kind: 'ready', since: '', protocol: 'x' },
      tools: 3,
    };
    const answer = browse(shelfOf({ mail: MAIL }, { upstreams: [ready] }), { path: '/mail' });
    expect(answer.unavailable).toEqual([]);
    expect(answer.text).toBe(answer.cards.map(cardLine).join('\n'));
  });
});

describe('the text of an answer', () => {
  it('keeps its budget for any catalog, any question and any trouble', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.lorem({ maxCount: 40 }));
    const namespace = fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/);
    const tool = fc.record({
      name: fc.oneof(fc.stringMatching(/^[a-z_]{1,12}$/), fc.stringMatching(/^[A-Za-z0-9_.-]{60,128}$/)),
      description: text,
      tags: fc.array(text, { maxLength: 6 }),
    });
    const catalog = fc.dictionary(namespace, fc.array(tool, { maxLength: 20 }), { maxKeys: 5 });
    fc.assert(
      fc.property(
        catalog,
        fc.lorem({ maxCount: 3 }),
        fc.array(namespace, { maxLength: 10 }),
        (offered, query, others) => {
          const upstreams = [...Object.keys(offered).slice(0, 2), ...others].map((name) => down(name));
          const shelf = shelfOf(offered, { upstreams });
          expectWithinBudget(browse(shelf, { query, topK: 50 }));
          for (const path of [
            '/',
            ...Object.entries(offered).flatMap(([key, tools]) => (tools.length ? [`/${key}`] : [])),
          ])
            expectWithinBudget(browse(shelf, { path }));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps its budget where every card is as long as a card may be', () => {
    const names = Array.from({ length: 26 * 14 }, (_, i) => {
      const tail = String.fromCharCode(97 + (i % 26));
      return `${'zq'.repeat(22 + Math.floor(i / 26))}${tail}`;
    });
    const longest = shelfOf({ shop: names.map((name) => ({ name, description: 'Buys.' })) });
    const answer = browse(longest, { query: 'buys', topK: 50 });
    expectWithinBudget(answer);
    const full = longest.snapshot.contracts
      .map(({ id }) => countTokens(`${id} (tool) !side-effects\n`))
      .filter((tokens) => tokens === 80);
    expect(full.length).toBeGreaterThan(10);
  });

  it('says when an id is too long to show, and the others are shown', () => {
    const endless = 'zq'.repeat(64);
    const shelf = shelfOf({
      shop: [
        { name: endless, description: 'Buys.' },
        { name: 'buy', description: 'Buys.' },
      ],
    });
    for (const request of [{ path: '/shop' }, { query: 'buys' }]) {
      const { cards, text } = browse(shelf, request);
      expect(cards.map(({ name }) => name)).toEqual(['buy']);
      expect(text.split('\n')).toEqual([cardLine(cards[0]!), 'Not shown: 1 with ids too long.']);
    }
    expect(
      browse(shelf, {
        path: `/shop/${segmentFor(shelf.snapshot.contracts.find(({ name }) => name === endless)!)}`,
      }).text,
    ).toBe('Nothing matches. Use other words, or walk from "/".\nNot shown: 1 with ids too long.');
  });
});
