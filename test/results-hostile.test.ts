/** Hostile selectors and artifacts: each view stays within its limits or is rejected with a message. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import type { View } from '../src/contract/call/view.ts';
import { describeError } from '../src/contract/errors/catalogue.ts';
import { Fault } from '../src/contract/errors/fault.ts';
import type { Artifact } from '../src/contract/ports/artifact-store.ts';
import { makeRuleSet } from '../src/redaction/rule-set.ts';
import { makeArtifact } from '../src/results/artifacts/artifact.ts';
import { SELECTORS, viewArtifact } from '../src/results/view.ts';

const SECRETS = makeRuleSet();

const MAX_TEXT = 8_000;
const MAX_TOKENS = 2_000;

function viewOf(artifact: Artifact, selector: unknown): Promise<View> {
  const store = { put: () => Promise.resolve(), get: () => Promise.resolve(artifact) };
  return viewArtifact(store, {
    owner: 'me',
    handle: artifact.handle,
    selector,
    secrets: SECRETS,
    countTokens,
  });
}

/** Expects a view within its limits, or a rejection with a one-line message. */
async function checkView(artifact: Artifact, selector: unknown): Promise<View | Fault> {
  const answer = await viewOf(artifact, selector).catch((thrown: unknown) => thrown as Fault);
  if (answer instanceof Error) {
    expect(answer).toBeInstanceOf(Fault);
    expect(describeError(answer.code, answer.variant).gateway).toBe('VIEW_FAILED');
    expect(answer.message).toMatch(/^[^\n]{10,256}\.$/);
  } else if (answer.kind === 'text') {
    expect(answer.selection.text.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(countTokens(answer.selection.text)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(answer.selection.text.isWellFormed()).toBe(true);
  }
  return answer;
}

function milliseconds(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

const text = (content: string | Uint8Array, mediaType = 'text/plain'): Artifact =>
  makeArtifact(mediaType, Buffer.from(content as string));
const json = (content: string): Artifact => text(content, 'application/json');

const ARTIFACTS: Readonly<Record<string, Artifact>> = {
  'a short text': text('one\ntwo\nthree'),
  'an empty text': text(''),
  'invalid UTF-8': text(new Uint8Array([0x61, 0xff, 0xc3, 0x0a, 0xf0, 0x9f, 0x98])),
  'a very long line': text('x'.repeat(300_000)),
  'a document': json('{"items":[{"a":1,"b":"x"},{"a":2}],"__proto__":{"c":1},"n":7}'),
  'an incomplete document': json('{"a":'),
  'a document of invalid UTF-8': makeArtifact('application/json', new Uint8Array([0x7b, 0xff, 0x7d])),
  'a deeply nested document': json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  'lone surrogates': json('["\\ud800","\\udc00",{"\\ud83d":"\\ude00"}]'),
  'a table': text('a,b\n"1,\n2","say ""hi"""\n"never closed,3\n', 'text/csv'),
  'an image': makeArtifact('image/png', new Uint8Array([0x89, 0x50, 0x4e, 0x47])),
};

const NAMES = Object.keys(SELECTORS);
const PARAMETERS = [...new Set(NAMES.flatMap((name) => SELECTORS[name]!.parameters))];
const VALUES: readonly unknown[] = [
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  1e300,
  '7',
  null,
  true,
  [],
  [1],
  {},
  '',
  '__proto__',
  'constructor',
  '\u0000',
  '(a+)+$',
  'a'.repeat(100_000),
  '$..*..*..*..*..*..*',
  `$${'[?@'.repeat(300)}`,
  '/__proto__',
  '/items/constructor/0',
  { toString: 'x' },
];

describe.each(Object.keys(ARTIFACTS))('views of %s', (name) => {
  const artifact = ARTIFACTS[name]!;

  it('stay within limits for any value of any parameter', async () => {
    for (const selector of NAMES) {
      for (const parameter of SELECTORS[selector]!.parameters) {
        for (const value of VALUES) await checkView(artifact, { [selector]: { [parameter]: value } });
      }
    }
  });

  it('stay within limits for any selector', async () => {
    for (const value of [...VALUES, NAMES, [['head', {}]], JSON.parse('{"__proto__":{"head":{}}}')]) {
      await checkView(artifact, value);
      await checkView(artifact, { head: value });
      await checkView(artifact, { toString: value, head: {} });
    }
  });

  it('stay within limits for any combination of parameters', async () => {
    const value = fc.oneof(fc.constantFrom(...VALUES), fc.integer({ min: -2, max: 12 }), fc.string());
    const parameters = fc.dictionary(fc.constantFrom(...PARAMETERS), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), parameters, async (selector, chosen) => {
        await checkView(artifact, { [selector]: chosen });
      }),
      { numRuns: 100 },
    );
  });
});

describe('views of very large artifacts', () => {
  const line = '2026-03-01T12:00:00Z INFO checkout request=r-1456 GET /v1/orders 200 in 35 ms\n';
  const log = text(line.repeat(Math.ceil(50_000_000 / line.length)));
  const items = Array.from({ length: 42_000 }, (_, i) => ({
    id: i,
    name: `customer ${i}`,
    at: { x: i, y: [null, i] },
    tags: ['a', 'b'],
  }));
  const document = json(JSON.stringify({ items }));

  it.each<[unknown]>([
    ['head'],
    ['tail'],
    ['lines'],
    [{ lines: { start: 600_000 } }],
    [{ bytes: { start: 49_000_000 } }],
    [{ grep: { pattern: 'nowhere' } }],
    [{ grep: { pattern: '(a|b|c|\\d|-){30}z', ignore_case: true } }],
    ['json_keys'],
  ])('take bounded time: fifty megabytes by %j', async (selector) => {
    const began = process.threadCpuUsage();
    await checkView(log, selector);
    expect(milliseconds(began)).toBeLessThan(2_000);
  });

  it('name the line at which a stopped search continues', async () => {
    const answer = (await checkView(log, { grep: { pattern: '(a|b|c|\\d|-){30}z' } })) as Extract<
      View,
      { kind: 'text' }
    >;
    const { next, totals, text: page } = answer.selection;
    expect(totals).toEqual({ lines: Math.ceil(50_000_000 / line.length) + 1 });
    const { start } = (next as { grep: { start: number } }).grep;
    expect(start).toBeGreaterThan(100);
    expect(page).toBe(`no match before line ${start}`);
  });

  it.each([
    '$..*..*..*..*..*',
    `$${'..*'.repeat(300)}`,
    '$..[?$..[?$..[?@ == 1]]]',
    '$.items[?count($..*) > 1]',
    '$.items[?@ == $]',
    "$..[?search(@.name, '(c|u|s|t|o|m|e|r| ){20}z')]",
    '$..[?@.name < $.items[-1].name || @.at == $.items[0].at]',
  ])('take bounded time: five megabytes by the path %s', async (path) => {
    expect(document.bytes.length).toBeGreaterThan(3_500_000);
    const began = process.threadCpuUsage();
    await checkView(document, { jsonpath: { path } });
    expect(milliseconds(began)).toBeLessThan(2_000);
  });

  it('return a single node of five megabytes', async () => {
    expect(await checkView(document, { jsonpath: { path: '$.items[41999].at.y[1]' } })).toMatchObject({
      selection: { text: '41999', totals: { nodes: 1 } },
    });
    expect(await checkView(document, 'schema')).toMatchObject({
      selection: { text: expect.stringContaining('of the first 200000 nodes:') },
    });
  });
});
