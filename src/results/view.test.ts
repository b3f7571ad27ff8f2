import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryArtifacts } from '../../test/memory-artifacts.ts';
import { countTokens } from '../app/wiring/tokenizer.ts';
import type { View } from '../contract/call/view.ts';
import { describeError } from '../contract/errors/catalogue.ts';
import { Fault } from '../contract/errors/fault.ts';
import { makeRuleSet } from '../redaction/rule-set.ts';
import { makeArtifact } from './artifacts/artifact.ts';
import { SELECTORS, viewArtifact } from './view.ts';

const SECRETS = makeRuleSet();

const store = memoryArtifacts();
const options = { ttlMs: 1_000, quotaBytes: 1e9 };

async function keep(mediaType: string, text: string, owner = 'me'): Promise<string> {
  const artifact = makeArtifact(mediaType, Buffer.from(text));
  await store.put(owner, artifact, options);
  return artifact.handle;
}

const view = (handle: unknown, selector?: unknown, owner = 'me'): Promise<View> =>
  viewArtifact(store, { owner, handle, selector, secrets: SECRETS, countTokens });

async function faultOf(handle: unknown, selector?: unknown, owner?: string): Promise<Fault> {
  const thrown = await view(handle, selector, owner).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(Fault);
  return thrown as Fault;
}

const plain = await keep('text/plain', 'one\ntwo\nthree');
const json = await keep('application/json', '{"rows":[{"a":1},{"a":2}],"n":7}');
const ndjson = await keep('application/x-ndjson', '{"a":1}\n\n{"a":2}\n');
const semicolons = await keep('text/csv', 'a;b\n1,5;x\n2,5;y');
const csv = await keep('text/csv', 'a,b\n1,"x, y"\n2,z');
const png = await keep('image/png', 'not really');
const theirs = await keep('text/plain', 'a secret', 'somebody else');

describe('a view', () => {
  it.each<[unknown]>([[undefined], [null], ['head'], [{ head: {} }]])(
    'begins at the head: %j',
    async (selector) => {
      expect(await view(plain, selector)).toEqual({
        kind: 'text',
        mediaType: 'text/plain',
        selection: { text: 'one\ntwo\nthree', totals: { chars: 13 } },
      });
    },
  );

  it.each<[string, unknown, string]>([
    [plain, 'lines', 'one\ntwo\nthree'],
    [plain, { lines: { start: 2, end: 2 } }, 'two'],
    [json, 'json_keys', 'rows: 2 × object\nn: number'],
    [json, 'rows', '["a"]\n[1]\n[2]'],
    [csv, { rows: { columns: ['b'] } }, '["b"]\n["x, y"]\n["z"]'],
    [csv, { lines: { start: 2, end: 2 } }, '1,"x, y"'],
    [ndjson, 'rows', '["a"]\n[1]\n[2]'],
    [ndjson, { jsonpath: { path: '$[?@.a > 1].a' } }, '2'],
    [ndjson, 'json_keys', '0: {a: number}\n1: {a: number}'],
    [ndjson, 'schema', '2 × {\n  a: integer 1..2\n}'],
    [ndjson, { lines: { start: 3, end: 3 } }, '{"a":2}'],
    [semicolons, 'rows', '["a","b"]\n["1,5","x"]\n["2,5","y"]'],
    [plain, 'tail', 'one\ntwo\nthree'],
    [plain, { bytes: { start: 4, end: 7 } }, 'two'],
    [plain, { grep: { pattern: 't' } }, '2: two\n3: three'],
    [json, { jsonpath: { path: '$.rows[?@.a > 1].a' } }, '2'],
    [json, 'schema', '{\n  rows: 2 × {\n    a: integer 1..2\n  }\n  n: integer 7\n}'],
    [png, { bytes: { start: 0, end: 3 } }, 'not'],
  ])('of %s by %j', async (handle, selector, text) => {
    expect(await view(handle, selector)).toMatchObject({ kind: 'text', selection: { text } });
  });

  it('gives bytes as what they are', async () => {
    expect(await view(png)).toEqual({
      kind: 'binary',
      mediaType: 'image/png',
      part: { type: 'image', data: Buffer.from('not really').toString('base64'), mimeType: 'image/png' },
    });
  });

  it('gives large bytes in pieces, and says how many there are', async () => {
    const bytes = Buffer.alloc(5_242_881, 7);
    const handle = await keep('application/pdf', bytes.toString('latin1'));
    const first = await view(handle, { head: { chars: 10 } });
    expect(first).toEqual({
      kind: 'text',
      mediaType: 'application/pdf',
      selection: {
        text: 'application/pdf, too large to be shown whole',
        totals: { bytes: 5_242_881 },
        next: { bytes: {} },
      },
    });
    expect(await view(handle, { bytes: { start: 5_242_880, base64: true } })).toMatchObject({
      selection: { text: 'base64:Bw==', totals: { bytes: 5_242_881 } },
    });
    const small = await keep('application/pdf', bytes.subarray(1).toString('latin1'));
    expect(await view(small)).toMatchObject({ kind: 'binary' });
  });

  it('shows text without what hides and commands', async () => {
    const handle = await keep('text/plain', 'a\u001b[31mb\u202e\u{e0041}c');
    expect(await view(handle)).toMatchObject({ selection: { text: 'abc', totals: { chars: 11 } } });
    const keys = await keep('application/json', '{"a\\u202e\\u001b[31mb":1}');
    expect(await view(keys, 'json_keys')).toMatchObject({ selection: { text: 'ab: number' } });
  });
});

describe('a page', () => {
  const dense = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('漢字仮名交じり文', '麤鬱龘', '😀🤖', 'c0ffee00', 'plain words ', '\n', '\u0a95\u0acd'),
  );
  const texts = fc
    .array(dense, { minLength: 1, maxLength: 30 })
    .chain((parts) => fc.integer({ min: 1, max: 400 }).map((times) => parts.join('').repeat(times)));
  const selectors = [
    { head: { chars: 8_000 } },
    { tail: { chars: 8_000 } },
    { lines: {} },
    { grep: { pattern: '.', context: 10 } },
    { bytes: { end: 100_000 } },
    { bytes: { end: 100_000, base64: true } },
    { jsonpath: { path: '$..*' } },
    { rows: { end: 1_000 } },
    { json_keys: {} },
    { schema: {} },
  ];

  it('costs at most two thousand tokens, whatever it is written in', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...selectors), async (text, selector) => {
        const isDocument = /jsonpath|rows|json_keys|schema/.test(Object.keys(selector)[0]!);
        const handle = isDocument
          ? await keep('application/json', JSON.stringify([{ [text.slice(0, 9_000)]: text, other: [text] }]))
          : await keep('text/plain', text);
        const { selection } = (await view(handle, selector)) as Extract<View, { kind: 'text' }>;
        expect(countTokens(selection.text)).toBeLessThanOrEqual(2_000);
      }),
      { numRuns: 200 },
    );
  });

  it('in a dense script is followed by the next, and nothing is lost', async () => {
    const text = '漢字仮名交じり文を書く。麤鬱龘'.repeat(2_000);
    const handle = await keep('text/plain', text);
    const pages: string[] = [];
    for (let selector: unknown = { head: { chars: 8_000 } }; selector; ) {
      const { selection } = (await view(handle, selector)) as Extract<View, { kind: 'text' }>;
      expect(countTokens(selection.text)).toBeLessThanOrEqual(2_000);
      pages.push(selection.text);
      selector = selection.next;
    }
    expect(pages.join('')).toBe(text);
    expect(pages.length).toBeLessThan(40);
  });
});

describe('a handle that cannot be viewed', () => {
  it("is answered alike, word for word: unknown, malformed or somebody else's", async () => {
    const faults = await Promise.all(
      [theirs, `art_${'0'.repeat(24)}`, 'art_x', '', '../../etc/passwd', '__proto__'].map((handle) =>
        faultOf(handle),
      ),
    );
    for (const fault of faults) {
      expect(fault).toMatchObject({
        code: 'TOOL_NOT_FOUND',
        variant: 'view',
        message: faults[0]!.message,
        details: undefined,
      });
    }
    expect(describeError('TOOL_NOT_FOUND', 'view').gateway).toBe('VIEW_FAILED');
    expect(await view(theirs, undefined, 'somebody else')).toMatchObject({ selection: { text: 'a secret' } });
  });

  it.each([undefined, null, 7, {}, [plain]])('is no text: %j', async (handle) => {
    expect(await faultOf(handle)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });
});

describe('a selector that cannot be used', () => {
  it.each<[string, unknown]>([
    ['an unknown one', 'sideways'],
    ['an unknown one with parameters', { xpath: { path: '//a' } }],
    ['one in other case', 'Head'],
    ['two at once', { head: {}, lines: {} }],
    ['none', {}],
    ['a list', ['head']],
    ['a number', 7],
    ['parameters that are no object', { head: 7 }],
    ['parameters that are a list', { head: [] }],
    ['no parameters', { head: null }],
    ['one that every object has', '__proto__'],
    ['another that every object has', { constructor: {} }],
  ])('%s is refused, and told which there are', async (_, selector) => {
    const fault = await faultOf(plain, selector);
    expect(fault).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
    expect(Object.keys(fault.details!.selectors as object)).toEqual(Object.keys(SELECTORS));
    expect(describeError('INVALID_INPUT', 'view').gateway).toBe('VIEW_FAILED');
  });

  it.each<[string, unknown]>([
    ['an unknown parameter', { head: { begin: 1 } }],
    ['a parameter that every object has', JSON.parse('{"head":{"__proto__":1}}')],
    ['a negative start', { head: { start: -1 } }],
    ['half a character', { head: { start: 0.5 } }],
    ['a start as text', { head: { start: '0' } }],
    ['no characters', { head: { chars: 0 } }],
    ['a start beyond numbers', { head: { start: JSON.parse('1e400') } }],
    ['a line zero', { lines: { start: 0 } }],
    ['a line beyond the end', { lines: { start: 4 } }],
    ['an end before the start', { lines: { start: 3, end: 2 } }],
    ['a tail of no characters', { tail: { chars: 0 } }],
    ['bytes from before the start', { bytes: { start: -1 } }],
    ['bytes that end where they start', { bytes: { start: 3, end: 3 } }],
    ['bytes in a way that is no choice', { bytes: { base64: 'yes' } }],
    ['a pattern that is missing', 'grep'],
    ['a pattern that is empty', { grep: { pattern: '' } }],
    ['a pattern that is no text', { grep: { pattern: ['x'] } }],
    ['a pattern that is open', { grep: { pattern: '(' } }],
    ['a pattern that looks around', { grep: { pattern: '(?=x)' } }],
    ['a pattern that refers back', { grep: { pattern: '(a)\\1' } }],
    ['a pattern of a hundred kilobytes', { grep: { pattern: 'a'.repeat(100_000) } }],
    ['more context than there is room for', { grep: { pattern: 'a', context: 11 } }],
    ['case that is no choice', { grep: { pattern: 'a', ignore_case: 1 } }],
    ['keys of what is not JSON', 'json_keys'],
    ['a path into what is not JSON', { jsonpath: { path: '$' } }],
    ['the shape of what is not JSON', 'schema'],
    ['rows of what has none', 'rows'],
  ])('for %s', async (_, selector) => {
    expect(await faultOf(plain, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });

  it.each<[string, unknown]>([
    ['a path that is no pointer', { json_keys: { path: 'rows' } }],
    ['a path that is no text', { json_keys: { path: 7 } }],
    ['a path to nothing', { json_keys: { path: '/none' } }],
    ['a path to what every object has', { json_keys: { path: '/constructor' } }],
    ['a path to what every list has', { json_keys: { path: '/rows/length' } }],
    ['a path beyond a list', { json_keys: { path: '/rows/2' } }],
    ['a path through a number', { json_keys: { path: '/n/a' } }],
    ['a JSONPath that is missing', 'jsonpath'],
    ['a JSONPath that is no text', { jsonpath: { path: 7 } }],
    ['a JSONPath that is none', { jsonpath: { path: '$.' } }],
    ['a JSONPath without its root', { jsonpath: { path: 'rows' } }],
    ['a JSONPath with a function that is none', { jsonpath: { path: '$[?system(@.a)]' } }],
    ['a JSONPath with a pattern that looks around', { jsonpath: { path: "$[?search('a', '(?=a)')]" } }],
    ['a JSONPath without end', { jsonpath: { path: `$${'.a'.repeat(5_000)}` } }],
    ['paths that are no choice', { jsonpath: { path: '$', paths: 'all' } }],
    ['a shape of nothing', { schema: { path: '/none' } }],
    ['rows where there are none', { rows: { path: '/n' } }],
    ['columns that are not there', { rows: { columns: ['b'] } }],
    ['columns that are no list', { rows: { columns: 'a' } }],
    ['no columns', { rows: { columns: [] } }],
    ['an end that is not after the start', { rows: { start: 1, end: 1 } }],
  ])('for %s in a document', async (_, selector) => {
    expect(await faultOf(json, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });

  it.each(['tail', 'lines', 'grep', 'json_keys', 'jsonpath', 'rows', 'schema'])(
    'for bytes: %s',
    async (selector) => {
      expect(await faultOf(png, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
    },
  );
});
