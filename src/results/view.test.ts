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

async function storeText(mediaType: string, text: string, owner = 'me'): Promise<string> {
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

const plain = await storeText('text/plain', 'one\ntwo\nthree');
const json = await storeText('application/json', '{"rows":[{"a":1},{"a":2}],"n":7}');
const ndjson = await storeText('application/x-ndjson', '{"a":1}\n\n{"a":2}\n');
const semicolons = await storeText('text/csv', 'a;b\n1,5;x\n2,5;y');
const csv = await storeText('text/csv', 'a,b\n1,"x, y"\n2,z');
const png = await storeText('image/png', 'not really');
const theirs = await storeText('text/plain', 'a secret', 'another owner');

describe('viewArtifact', () => {
  it.each<[unknown]>([[undefined], [null], ['head'], [{ head: {} }]])(
    'starts with the head for the selector %j',
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
  ])('views %s by %j', async (handle, selector, text) => {
    expect(await view(handle, selector)).toMatchObject({ kind: 'text', selection: { text } });
  });

  it('returns an image as an image', async () => {
    expect(await view(png)).toEqual({
      kind: 'binary',
      mediaType: 'image/png',
      part: { type: 'image', data: Buffer.from('not really').toString('base64'), mimeType: 'image/png' },
    });
  });

  it('returns a large binary in pieces, with its size', async () => {
    const bytes = Buffer.alloc(5_242_881, 7);
    const handle = await storeText('application/pdf', bytes.toString('latin1'));
    const first = await view(handle, { head: { chars: 10 } });
    expect(first).toEqual({
      kind: 'text',
      mediaType: 'application/pdf',
      selection: {
        text: 'application/pdf, too large to show whole',
        totals: { bytes: 5_242_881 },
        next: { bytes: {} },
      },
    });
    expect(await view(handle, { bytes: { start: 5_242_880, base64: true } })).toMatchObject({
      selection: { text: 'base64:Bw==', totals: { bytes: 5_242_881 } },
    });
    const small = await storeText('application/pdf', bytes.subarray(1).toString('latin1'));
    expect(await view(small)).toMatchObject({ kind: 'binary' });
  });

  it('removes hidden and control characters from text', async () => {
    const handle = await storeText('text/plain', 'a\u001b[31mb\u202e\u{e0041}c');
    expect(await view(handle)).toMatchObject({ selection: { text: 'abc', totals: { chars: 11 } } });
    const keys = await storeText('application/json', '{"a\\u202e\\u001b[31mb":1}');
    expect(await view(keys, 'json_keys')).toMatchObject({ selection: { text: 'ab: number' } });
  });
});

describe('a page of a view', () => {
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

  it('has at most 2,000 tokens in any script', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...selectors), async (text, selector) => {
        const isDocument = /jsonpath|rows|json_keys|schema/.test(Object.keys(selector)[0]!);
        const handle = isDocument
          ? await storeText(
              'application/json',
              JSON.stringify([{ [text.slice(0, 9_000)]: text, other: [text] }]),
            )
          : await storeText('text/plain', text);
        const { selection } = (await view(handle, selector)) as Extract<View, { kind: 'text' }>;
        expect(countTokens(selection.text)).toBeLessThanOrEqual(2_000);
      }),
      { numRuns: 200 },
    );
  });

  it('names the next page in a dense script, and no text is lost', async () => {
    const text = '漢字仮名交じり文を書く。麤鬱龘'.repeat(2_000);
    const handle = await storeText('text/plain', text);
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

describe('an invalid handle', () => {
  it('gets the same answer whether it is unknown, malformed or of another owner', async () => {
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
    expect(await view(theirs, undefined, 'another owner')).toMatchObject({ selection: { text: 'a secret' } });
  });

  it.each([undefined, null, 7, {}, [plain]])('is rejected if it is not a string: %j', async (handle) => {
    expect(await faultOf(handle)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });
});

describe('an invalid selector', () => {
  it.each<[string, unknown]>([
    ['an unknown selector', 'sideways'],
    ['an unknown selector with parameters', { xpath: { path: '//a' } }],
    ['a selector in the wrong case', 'Head'],
    ['two selectors', { head: {}, lines: {} }],
    ['an empty object', {}],
    ['a list', ['head']],
    ['a number', 7],
    ['parameters that are not an object', { head: 7 }],
    ['parameters that are a list', { head: [] }],
    ['parameters that are null', { head: null }],
    ['the key `__proto__`', '__proto__'],
    ['the key `constructor`', { constructor: {} }],
  ])('is rejected with the list of selectors: %s', async (_, selector) => {
    const fault = await faultOf(plain, selector);
    expect(fault).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
    expect(Object.keys(fault.details!.selectors as object)).toEqual(Object.keys(SELECTORS));
    expect(describeError('INVALID_INPUT', 'view').gateway).toBe('VIEW_FAILED');
  });

  it.each<[string, unknown]>([
    ['an unknown parameter', { head: { begin: 1 } }],
    ['the parameter `__proto__`', JSON.parse('{"head":{"__proto__":1}}')],
    ['a negative start', { head: { start: -1 } }],
    ['a fractional start', { head: { start: 0.5 } }],
    ['a start that is a string', { head: { start: '0' } }],
    ['no characters', { head: { chars: 0 } }],
    ['an infinite start', { head: { start: JSON.parse('1e400') } }],
    ['a line zero', { lines: { start: 0 } }],
    ['a line beyond the end', { lines: { start: 4 } }],
    ['an end before the start', { lines: { start: 3, end: 2 } }],
    ['a tail of no characters', { tail: { chars: 0 } }],
    ['bytes from a negative start', { bytes: { start: -1 } }],
    ['bytes that end where they start', { bytes: { start: 3, end: 3 } }],
    ['a base64 flag that is not a boolean', { bytes: { base64: 'yes' } }],
    ['a missing pattern', 'grep'],
    ['an empty pattern', { grep: { pattern: '' } }],
    ['a pattern that is not a string', { grep: { pattern: ['x'] } }],
    ['an incomplete pattern', { grep: { pattern: '(' } }],
    ['a pattern with look-around', { grep: { pattern: '(?=x)' } }],
    ['a pattern with a back-reference', { grep: { pattern: '(a)\\1' } }],
    ['a pattern of a hundred kilobytes', { grep: { pattern: 'a'.repeat(100_000) } }],
    ['too many context lines', { grep: { pattern: 'a', context: 11 } }],
    ['a case flag that is not a boolean', { grep: { pattern: 'a', ignore_case: 1 } }],
    ['keys of plain text', 'json_keys'],
    ['a JSONPath into plain text', { jsonpath: { path: '$' } }],
    ['the shape of plain text', 'schema'],
    ['rows of plain text', 'rows'],
  ])('is rejected on text: %s', async (_, selector) => {
    expect(await faultOf(plain, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });

  it.each<[string, unknown]>([
    ['a path that is not a JSON Pointer', { json_keys: { path: 'rows' } }],
    ['a path that is not a string', { json_keys: { path: 7 } }],
    ['a path to a missing member', { json_keys: { path: '/none' } }],
    ['a path to an inherited member', { json_keys: { path: '/constructor' } }],
    ['a path to the length of a list', { json_keys: { path: '/rows/length' } }],
    ['a path beyond the end of a list', { json_keys: { path: '/rows/2' } }],
    ['a path through a number', { json_keys: { path: '/n/a' } }],
    ['a missing JSONPath', 'jsonpath'],
    ['a JSONPath that is not a string', { jsonpath: { path: 7 } }],
    ['an invalid JSONPath', { jsonpath: { path: '$.' } }],
    ['a JSONPath without its root', { jsonpath: { path: 'rows' } }],
    ['a JSONPath with an unknown function', { jsonpath: { path: '$[?system(@.a)]' } }],
    ['a JSONPath whose pattern has look-around', { jsonpath: { path: "$[?search('a', '(?=a)')]" } }],
    ['a JSONPath that is too long', { jsonpath: { path: `$${'.a'.repeat(5_000)}` } }],
    ['a paths flag that is not a boolean', { jsonpath: { path: '$', paths: 'all' } }],
    ['the shape of a missing member', { schema: { path: '/none' } }],
    ['rows of a number', { rows: { path: '/n' } }],
    ['unknown columns', { rows: { columns: ['b'] } }],
    ['columns that are not a list', { rows: { columns: 'a' } }],
    ['an empty list of columns', { rows: { columns: [] } }],
    ['an end that is not after the start', { rows: { start: 1, end: 1 } }],
  ])('is rejected on JSON: %s', async (_, selector) => {
    expect(await faultOf(json, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
  });

  it.each(['tail', 'lines', 'grep', 'json_keys', 'jsonpath', 'rows', 'schema'])(
    'is rejected on an image: %s',
    async (selector) => {
      expect(await faultOf(png, selector)).toMatchObject({ code: 'INVALID_INPUT', variant: 'view' });
    },
  );
});
