/** The token cost of results of five sizes, and questions that summary and views must answer. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { type Entry, LOG, type LogLine, PAYLOADS, ROWSET } from './results/payloads.ts';
import {
  openResultHarness,
  type ResultHarness,
  readHandles,
  readText,
  type UpstreamResult,
} from './results/result-harness.ts';

const asText = (text: string): UpstreamResult => ({ content: [{ type: 'text', text }] });

let harness: ResultHarness;
beforeAll(async () => {
  harness = await openResultHarness();
});
afterAll(() => harness.close());

type Answer = Parameters<typeof readText>[0] & { readonly structuredContent?: unknown };
type Count = (text: string) => number;

/** The parts of an answer that a client may show a model. */
const COUNTED: Readonly<Record<string, (answer: Answer, count: Count) => number>> = {
  'its text': (answer, count) => count(readText(answer)),
  'its text and its structure': (answer, count) =>
    count(readText(answer)) +
    (answer.structuredContent ? count(JSON.stringify(answer.structuredContent)) : 0),
  'all of it as JSON': ({ content, structuredContent }, count) =>
    count(JSON.stringify({ content, structuredContent })),
};
const TOKENIZERS: Readonly<Record<string, Count>> = {
  cl100k_base: countTokens,
  o200k_base: (text) => encode(text).length,
};
const COUNTS = Object.keys(TOKENIZERS).flatMap((tokenizer) =>
  Object.keys(COUNTED).map((counted) => [counted, tokenizer] as const),
);

it('the payloads have their fixed lengths', () => {
  expect(Object.values(PAYLOADS).map(({ length }) => length)).toEqual([34, 77, 238, 14_206, 16_507]);
});

describe('a short result', () => {
  it.each(['acknowledgement', 'post', 'ticket'] as const)(
    'costs as many tokens as without the gateway: %s',
    async (name) => {
      const sent = asText(PAYLOADS[name]);
      const answer = await harness.execute(sent);
      expect(readText(answer)).toBe(PAYLOADS[name]);
      for (const [counted, tokenizer] of COUNTS) {
        const cost = (of: unknown): number => COUNTED[counted]!(of as Answer, TOKENIZERS[tokenizer]!);
        expect(cost(answer) - cost(sent)).toBe(0);
      }
    },
  );

  it('costs at most 130 tokens more if a client shows the envelope too', async () => {
    const { _meta } = await harness.execute(asText(PAYLOADS.acknowledgement));
    expect(_meta).toEqual({
      'toolgate/envelope': {
        call_id: expect.any(String),
        trace_id: expect.any(String),
        duration_ms: expect.any(Number),
        provenance: {
          tool_id: expect.stringMatching(/^shop:give#/),
          source: 'compute',
          executed_at: expect.any(String),
        },
      },
    });
    expect(countTokens(JSON.stringify(_meta))).toBeLessThan(130);
  });
});

describe.each(COUNTS)('a long result, %s counted in %s', (counted, tokenizer) => {
  const cost = (of: unknown): number => COUNTED[counted]!(of as Answer, TOKENIZERS[tokenizer]!);

  it.each(['log', 'rowset'] as const)('costs less than a twentieth of its text: %s', async (name) => {
    const sent = asText(PAYLOADS[name]);
    expect(cost(sent)).toBeGreaterThan(2_000);
    expect(cost(await harness.execute(sent))).toBeLessThanOrEqual(0.048 * cost(sent));
  });

  it.each(['log', 'rowset'] as const)('costs no more with structured content: %s', async (name) => {
    const structuredContent = { rows: name === 'log' ? LOG : ROWSET };
    const text = JSON.stringify(structuredContent);
    const answer = await harness.execute({ ...asText(text), structuredContent });
    expect(cost(answer)).toBeLessThanOrEqual(0.048 * cost(asText(text)));
  });
});

/** A question, the expected parts of the answer, and at most two views that are read after the summary. */
type Question = readonly [question: string, answers: readonly (string | number)[], ...views: object[]];

const withLevel = (level: string): LogLine[] => LOG.filter((line) => line.level === level);
const errors = withLevel('ERROR');
const timeouts = errors.filter(({ text }) => text.includes('timeout'));
const middle = LOG[90]!;

const ABOUT_THE_LOG: readonly Question[] = [
  ['how many lines are there?', [`${LOG.length + 1} lines`]],
  ['when does it begin?', [LOG[0]!.time]],
  ['how many warnings?', [`warn ${withLevel('WARN').length}`]],
  ['how many errors?', [`error ${errors.length}`]],
  ['in which line is the first error?', [`line ${LOG.indexOf(errors[0]!) + 1}:`]],
  ['what is the last line?', ['2026-03-01T12:15:00Z INFO checkout shutdown complete']],
  ['what was the first error?', [errors[0]!.text], { grep: { pattern: 'ERROR' } }],
  ['which requests failed?', errors.map(({ request }) => request), { grep: { pattern: 'ERROR' } }],
  ['what happened at a given second?', [middle.text], { grep: { pattern: middle.time.slice(11, 19) } }],
  [
    'what happened right before and after it?',
    [LOG[89]!.text, LOG[91]!.text],
    { grep: { pattern: middle.request, context: 1 } },
  ],
  [
    'how many timeouts were there?',
    [`${timeouts.length} matches`, ...timeouts.map(({ request }) => request)],
    { grep: { pattern: 'payment gateway timeout' } },
  ],
  ['which was the last error?', [errors.at(-1)!.text], { tail: {} }],
  ['what is in line 57?', [LOG[56]!.text], { lines: { start: 57, end: 57 } }],
  [
    'what did a given request do?',
    [LOG[120]!.text],
    { grep: { pattern: `request=${LOG[120]!.request}\\b` } },
  ],
  [
    'which warnings took over 1.5 seconds?',
    withLevel('WARN').flatMap(({ text, request }) => (/took 1[5-9]\d\d ms/.test(text) ? [request] : [])),
    { grep: { pattern: 'TOOK 1[5-9]\\d\\d ms', ignore_case: true } },
  ],
];

const withStatus = (status: string): Entry[] => ROWSET.filter((entry) => entry.status === status);
const amounts = ROWSET.map(({ amount }) => amount);
const byRegion = (region: string): Entry[] => ROWSET.filter((entry) => entry.region === region);
const largest = ROWSET.find(({ amount }) => amount === Math.max(...amounts))!;

const ABOUT_THE_ROWSET: readonly Question[] = [
  ['how many rows are there?', [`${ROWSET.length} rows`]],
  ['which regions are there?', [...new Set(ROWSET.map(({ region }) => `"${region}"`))]],
  ['what is the largest amount?', [`..${Math.max(...amounts)}`]],
  ['what is the smallest amount?', [`${Math.min(...amounts)}..`]],
  ['how many rows failed?', [`"failed" ×${withStatus('failed').length}`]],
  ['from when to when?', [`${ROWSET[0]!.at}..${ROWSET.at(-1)!.at}`]],
  ['what is the first row?', [ROWSET[0]!.customer, ROWSET[0]!.amount]],
  [
    'what is the amount in row 57?',
    [`[${ROWSET[57]!.amount}]`],
    { rows: { start: 57, end: 58, columns: ['amount'] } },
  ],
  [
    'which rows failed?',
    withStatus('failed').map((entry) => JSON.stringify(entry)),
    { jsonpath: { path: "$[?@.status == 'failed']" } },
  ],
  [
    'which row has the largest amount?',
    [largest.id],
    { jsonpath: { path: `$[?@.amount >= ${largest.amount}]` } },
  ],
  [
    'how many rows of a region failed?',
    [`${byRegion('apac').filter(({ status }) => status === 'failed').length} nodes`],
    { jsonpath: { path: "$[?@.region == 'apac' && @.status == 'failed'].id" } },
  ],
  [
    'which customers spent over 850?',
    ROWSET.filter(({ amount }) => amount > 850).map(({ customer }) => customer),
    { jsonpath: { path: '$[?@.amount > 850].customer' } },
  ],
  ['what is the last row?', [JSON.stringify(ROWSET.at(-1))], { jsonpath: { path: '$[-1]' } }],
  [
    'where are the entries of a customer?',
    ROWSET.flatMap(({ customer }, row) => (customer === 'cust-7' ? [`$[${row}]['id']`] : [])),
    { jsonpath: { path: "$[?@.customer == 'cust-7'].id", paths: true } },
  ],
  ['which members has a row?', Object.keys(ROWSET[0]!).map((key) => `  ${key}: `), { schema: {} }],
  ['what kind is each member?', ['id: number', 'status: string'], { json_keys: { path: '/0' } }],
];

describe.each([
  ['log', ABOUT_THE_LOG],
  ['rowset', ABOUT_THE_ROWSET],
] as const)('summary and views of the %s answer', (name, questions) => {
  it.each(questions.map((question) => [question[0], question] as const))('%s', async (_, question) => {
    const [, answers, ...views] = question;
    expect(views.length).toBeLessThanOrEqual(2);
    expect(answers.length).toBeGreaterThan(0);
    const summary = await harness.execute(asText(PAYLOADS[name]));
    const [handle] = readHandles(summary);
    const read = [summary];
    for (const selector of views) read.push(await harness.view(handle!, selector));
    expect(read.some(({ isError }) => isError)).toBe(false);
    const text = read.map(readText).join('\n');
    for (const answer of answers) expect(text).toContain(String(answer));
  });

  it('with views of less than a third of the text', async () => {
    expect(questions.length).toBeGreaterThanOrEqual(12);
    const [handle] = readHandles(await harness.execute(asText(PAYLOADS[name])));
    for (const [, , ...views] of questions) {
      for (const selector of views) {
        const tokens = countTokens(readText(await harness.view(handle!, selector)));
        expect(tokens).toBeLessThan(countTokens(PAYLOADS[name]) / 3);
      }
    }
  });
});

it('grep reports "no match" for a time that the log does not have', async () => {
  expect(LOG.some(({ time }) => time.includes('11:59:59'))).toBe(false);
  const [handle] = readHandles(await harness.execute(asText(PAYLOADS.log)));
  const answer = await harness.view(handle!, { grep: { pattern: '11:59:59' } });
  expect(readText(answer)).toMatch(/^no match\n\(0 matches, 180 lines in total; this is the end\)$/);
});
