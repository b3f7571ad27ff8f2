import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { browseContextOf, realisticTools, type ToolOffer } from '../../test/catalogs.ts';
import { countTokens } from '../app/wiring/tokenizer.ts';
import type { BrowseAnswer, BrowseRequest } from '../contract/browse.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { UpstreamState, UpstreamStatus } from '../contract/upstream-state.ts';
import { type BrowseContext, browse } from './browse.ts';
import { cardLine } from './cards/card-line.ts';
import { segmentFor } from './tree/tree.ts';

const MAIL: readonly ToolOffer[] = [
  { name: 'send_message', description: 'Send a message to somebody.' },
  { name: 'list_messages', description: 'List messages.' },
  { name: 'archive', description: 'Put a message away.' },
];

function expectWithinBudget({ cards, text }: BrowseAnswer): void {
  expect(countTokens(text)).toBeLessThanOrEqual(80 * cards.length + 32);
}

function refusal(
  context: BrowseContext,
  request: BrowseRequest,
): { code: string; variant: string | undefined } {
  try {
    browse(context, request);
  } catch (thrown) {
    if (thrown instanceof Fault) return { code: thrown.code, variant: thrown.variant };
    throw thrown;
  }
  throw new Error('the request was not refused');
}

function unavailableUpstream(namespace: string, kind: UpstreamState['kind'] = 'unavailable'): UpstreamStatus {
  const state = { kind, since: '', reason: 'x', retryAt: undefined } as UpstreamState;
  return { namespace, state, tools: 0 };
}

describe('browse by query', () => {
  it('returns cards with scores, and text without scores', () => {
    const answer = browse(browseContextOf({ mail: MAIL }), { query: 'send message' });
    expect(answer.cards.map(({ name }) => name)).toEqual(['send_message', 'list_messages', 'archive']);
    expect(answer.cards.every(({ score }) => score! > 0)).toBe(true);
    expect(answer.text).toBe(answer.cards.map(cardLine).join('\n'));
    expect(answer.text).not.toContain('score');
    expect(answer.unavailable).toEqual([]);
  });

  it('orders cards by score, then by id, with scores of at most four digits', () => {
    const { cards } = browse(browseContextOf({ shop: realisticTools(400) }), {
      query: 'create issue label',
      topK: 50,
    });
    expect(cards.length).toBeGreaterThan(20);
    const sorted = cards.toSorted((a, b) => b.score! - a.score! || (a.id < b.id ? -1 : 1));
    expect(cards).toEqual(sorted);
    expect(new Set(cards.map(({ score }) => score)).size).toBeLessThan(cards.length);
    for (const { score } of cards) expect(String(score)).toMatch(/^\d+(\.\d{1,4})?$/);
  });

  it('returns ten cards by default and at most fifty', () => {
    const context = browseContextOf({ shop: realisticTools(120) });
    expect(browse(context, { query: 'issue' }).cards).toHaveLength(10);
    expect(browse(context, { query: 'repository', topK: 1 }).cards).toHaveLength(1);
    expect(browse(context, { query: 'repository', topK: 50 }).cards).toHaveLength(50);
  });

  it.each([0, -1, 51, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', true, [], {}])(
    'refuses a top_k of %o for a query and for a path',
    (topK) => {
      const context = browseContextOf({ mail: MAIL });
      expect(refusal(context, { query: 'x', topK })).toEqual({ code: 'INVALID_INPUT', variant: undefined });
      expect(refusal(context, { path: '/', topK })).toEqual({ code: 'INVALID_INPUT', variant: undefined });
    },
  );

  it.each(['', ' ', '\t\n', 7, null, [], {}, 'x'.repeat(2_001)])('refuses the query %o', (query) => {
    expect(refusal(browseContextOf({ mail: MAIL }), { query })).toEqual({
      code: 'INVALID_INPUT',
      variant: undefined,
    });
  });

  it('states in the text that nothing matches', () => {
    const answer = browse(browseContextOf({ mail: MAIL }), { query: 'quantum' });
    expect(answer.cards).toEqual([]);
    expect(answer.text).toBe('No match. Use other words or browse from "/".');
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
  ])('finds a description in another language by its words: %s', (query, description) => {
    const context = browseContextOf({ mail: [...MAIL, { name: 'foreign', description }] });
    expect(browse(context, { query }).cards.map(({ name }) => name)).toEqual(['foreign']);
  });
});

describe('the score cutoff', () => {
  const scored = (scores: readonly number[]): BrowseContext => {
    const context = browseContextOf({ shop: realisticTools(scores.length) });
    const { contracts } = context.snapshot;
    return { ...context, rank: () => scores.map((score, i) => ({ contract: contracts[i]!, score })) };
  };

  it.each([
    ['cuts the list where the score drops below half of the best', [2, 1.9, 1.8, 1.7, 1.6, 1.1, 0.9, 0.8], 6],
    ['keeps at least five cards', [2, 0.5, 0.4, 0.3, 0.2, 0.1], 5],
    ['keeps all cards where no score drops', [2, 2, 2, 2, 2, 2, 1], 7],
    ['keeps all cards of a list shorter than five', [2, 0.1], 2],
  ])('%s', (_, scores, length) => {
    expect(browse(scored(scores), { query: 'x', topK: 50 }).cards).toHaveLength(length);
  });
});

describe('a query with several clauses', () => {
  const context = browseContextOf({
    ...{ mail: MAIL, weather: [{ name: 'get_forecast', description: 'Weather forecast of a city.' }] },
    flights: [{ name: 'search_flights', description: 'Find flights between two cities.' }],
  });
  const query =
    'Find flights between the two largest cities of the country for next Friday morning. Then send a message to my friend about it.';

  it('lists the cards that match each clause', () => {
    const { groups, text, cards } = browse(context, { query });
    expect(groups.map(({ asked }) => asked.slice(0, 12))).toEqual(['Find flights', 'Then send a ']);
    expect(groups[0]!.ids).toContain(cards.find(({ name }) => name === 'search_flights')!.id);
    expect(groups[1]!.ids).toContain(cards.find(({ name }) => name === 'send_message')!.id);
    const position = (name: string): number => cards.findIndex((card) => card.name === name) + 1;
    const [, first, second] = /^By part: Find flights between… ([\d,]+); Then send a… ([\d,]+)$/m.exec(text)!;
    expect(first!.split(',')).toContain(String(position('search_flights')));
    expect(second!.split(',')).toContain(String(position('send_message')));
  });

  it('has no groups where the query has one clause', () => {
    const { groups, text } = browse(context, { query: 'send a message' });
    expect(groups).toEqual([]);
    expect(text).not.toContain('By part');
  });
});

describe('browse with explain', () => {
  const context = browseContextOf({
    mail: MAIL,
    finance: [{ name: 'create_refund', description: 'Refunds a charge.' }],
  });

  it('returns signals that add up to the score, with the matching words', () => {
    const { cards, explanations } = browse(context, {
      query: 'reimburse a charge by message',
      explain: true,
    });
    for (const { id, score } of cards) {
      const { signals, score: explained } = explanations![id]!;
      expect(explained).toBe(score);
      expect(signals.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score!, 3);
    }
    const refund = explanations![cards.find(({ name }) => name === 'create_refund')!.id]!;
    expect(refund.signals.find(({ signal }) => signal === 'words')!.because).toEqual(['charge']);
    expect(refund.signals.find(({ signal }) => signal === 'synonyms')!.because).toEqual([
      'reimburse → refund',
    ]);
  });

  it('returns no explanations without explain', () => {
    expect(browse(context, { query: 'message' })).not.toHaveProperty('explanations');
  });
});

describe('browse by path', () => {
  it('lists one card a namespace at "/" for every catalog size', () => {
    for (const count of [1, 45, 400]) {
      const context = browseContextOf({ zoo: [{ name: 'feed' }], shop: realisticTools(count) });
      const { cards } = browse(context, { path: '/' });
      expect(cards.map(({ id, kind }) => [id, kind])).toEqual([
        ['/shop', 'internal'],
        ['/zoo', 'internal'],
      ]);
      expect(cards[0]!.description).toMatch(new RegExp(`^${count} tools?: `));
    }
  });

  it('ignores a trailing star', () => {
    const context = browseContextOf({ shop: realisticTools(60) });
    for (const path of ['/', '/shop', '/shop/issue', '/shop/create_issue']) {
      expect(browse(context, { path: path === '/' ? '/*' : `${path}/*` })).toEqual(browse(context, { path }));
    }
  });

  it('returns only the card of a tool, by its namespace path and by its group path', () => {
    const context = browseContextOf({ shop: realisticTools(60) });
    const [card] = browse(context, { path: '/shop/create_issue' }).cards;
    expect(card).toMatchObject({ kind: 'tool', name: 'create_issue' });
    expect(browse(context, { path: '/shop/issue/create_issue' }).cards).toEqual([card]);
  });

  it('fails only as malformed or as not found', () => {
    const context = browseContextOf({ shop: realisticTools(60), mail: MAIL });
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
          expect(browse(context, { path: text }).cards.length).toBeGreaterThan(0);
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

  it.each([7, null, {}, []])('refuses a path that is not text: %o', (path) => {
    expect(refusal(browseContextOf({ mail: MAIL }), { path })).toEqual({
      code: 'INVALID_INPUT',
      variant: undefined,
    });
  });

  it.each([{}, { query: 'x', path: '/' }, { topK: 3 }])(
    'refuses a request without exactly one of query and path: %j',
    (request) => {
      expect(refusal(browseContextOf({ mail: MAIL }), request)).toEqual({
        code: 'INVALID_INPUT',
        variant: undefined,
      });
    },
  );

  it('states in the text that an empty catalog has no match', () => {
    const answer = browse(browseContextOf({}), { path: '/' });
    expect(answer.cards).toEqual([]);
    expect(answer.text).toMatch(/^No match\./);
  });
});

const HOSTILE: readonly ToolOffer[] = [
  'Create Issue',
  '../../etc/passwd',
  '数据',
  '-leading',
  'UPPER',
  'create',
  'create-group',
  'x'.repeat(200),
].map((name) => ({ name, description: `A tool called ${name}` }));

describe.each([1, 12, 45, 1_500])('browse by path through %i tools', (count) => {
  const context = browseContextOf({
    shop: realisticTools(Math.ceil(count / 2)),
    bazaar: [...realisticTools(Math.floor(count / 2)), ...HOSTILE],
  });

  it('reaches every tool from "/", with every answer within its token budget', () => {
    const reached = new Set<string>();
    const visited = new Set<string>();
    const pending = ['/'];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      expect(visited.has(path)).toBe(false);
      visited.add(path);
      const answer = browse(context, { path });
      expectWithinBudget(answer);
      for (const card of answer.cards) {
        if (card.kind === 'internal') pending.push(card.id);
        else reached.add(card.id);
      }
    }
    expect([...reached].sort()).toEqual(context.snapshot.contracts.map(({ id }) => id));
    expect(visited.has('/shop') && visited.has('/bazaar')).toBe(true);
  });

  it('finds each tool by its name under its namespace', () => {
    for (const contract of context.snapshot.contracts) {
      const { cards } = browse(context, { path: `/${contract.namespace}/${segmentFor(contract)}` });
      expect(cards.map(({ id }) => id)).toEqual([contract.id]);
    }
  });
});

describe('tools that the caller may not see', () => {
  const maySee: BrowseContext['maySee'] = ({ namespace }) => namespace !== 'secret';

  it('are in no answer and in no count', () => {
    const context = browseContextOf({ mail: MAIL, secret: realisticTools(60) }, { maySee });
    const without = browseContextOf({ mail: MAIL });
    expect(browse(context, { path: '/' }).cards).toEqual(browse(without, { path: '/' }).cards);
    expect(browse(context, { query: 'create issue' }).cards).toEqual([]);
    expect(refusal(context, { path: '/secret' })).toEqual(refusal(context, { path: '/nothing' }));
    expect(refusal(context, { path: '/secret/create_issue' })).toEqual(
      refusal(context, { path: '/nothing/x' }),
    );
  });

  it('do not count towards top_k', () => {
    const secret = Array.from({ length: 30 }, (_, i) => ({ name: `send_message_${i}` }));
    const { cards } = browse(browseContextOf({ mail: MAIL, secret }, { maySee }), {
      query: 'send message',
      topK: 3,
    });
    expect(cards).toHaveLength(3);
    expect(cards.every(({ namespace }) => namespace === 'mail')).toBe(true);
  });
});

describe('unavailable upstreams', () => {
  it('are listed in a note, and the cards of their tools are tagged', () => {
    const context = browseContextOf(
      { mail: MAIL, shop: realisticTools(3) },
      { upstreams: [unavailableUpstream('mail'), unavailableUpstream('db', 'starting')] },
    );
    const answer = browse(context, { path: '/' });
    expect(answer.cards.map(({ tags }) => tags)).toEqual([['unavailable'], []]);
    expect(answer.text.split('\n').at(-1)).toBe('Not available: mail (down), db (starting).');
    expect(answer.unavailable.map(({ namespace }) => namespace)).toEqual(['mail', 'db']);
    const [card] = browse(context, { query: 'archive' }).cards;
    expect(card).toMatchObject({ name: 'archive', tags: ['unavailable'] });
  });

  it('do not include ready ones', () => {
    const ready: UpstreamStatus = {
      namespace: 'mail',
      state: { kind: 'ready', since: '', protocol: 'x' },
      tools: 3,
    };
    const answer = browse(browseContextOf({ mail: MAIL }, { upstreams: [ready] }), { path: '/mail' });
    expect(answer.unavailable).toEqual([]);
    expect(answer.text).toBe(answer.cards.map(cardLine).join('\n'));
  });
});

describe('the text of a browse answer', () => {
  it('stays within its token budget for any catalog, query and set of unavailable upstreams', () => {
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
          const upstreams = [...Object.keys(offered).slice(0, 2), ...others].map((name) =>
            unavailableUpstream(name),
          );
          const context = browseContextOf(offered, { upstreams });
          expectWithinBudget(browse(context, { query, topK: 50 }));
          for (const path of [
            '/',
            ...Object.entries(offered).flatMap(([key, tools]) => (tools.length ? [`/${key}`] : [])),
          ])
            expectWithinBudget(browse(context, { path }));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('stays within its token budget where every card has the maximum length', () => {
    const names = Array.from({ length: 26 * 14 }, (_, i) => {
      const tail = String.fromCharCode(97 + (i % 26));
      return `${'zq'.repeat(22 + Math.floor(i / 26))}${tail}`;
    });
    const longest = browseContextOf({ shop: names.map((name) => ({ name, description: 'Buys.' })) });
    const answer = browse(longest, { query: 'buys', topK: 50 });
    expectWithinBudget(answer);
    const full = longest.snapshot.contracts
      .map(({ id }) => countTokens(`${id} (tool) !side-effects\n`))
      .filter((tokens) => tokens === 80);
    expect(full.length).toBeGreaterThan(10);
  });

  it('counts the tools whose id is too long for a card, and lists the others', () => {
    const endless = 'zq'.repeat(64);
    const context = browseContextOf({
      shop: [
        { name: endless, description: 'Buys.' },
        { name: 'buy', description: 'Buys.' },
      ],
    });
    for (const request of [{ path: '/shop' }, { query: 'buys' }]) {
      const { cards, text } = browse(context, request);
      expect(cards.map(({ name }) => name)).toEqual(['buy']);
      expect(text.split('\n')).toEqual([cardLine(cards[0]!), 'Not shown: 1 tool (id too long).']);
    }
    expect(
      browse(context, {
        path: `/shop/${segmentFor(context.snapshot.contracts.find(({ name }) => name === endless)!)}`,
      }).text,
    ).toBe('No match. Use other words or browse from "/".\nNot shown: 1 tool (id too long).');
  });
});
