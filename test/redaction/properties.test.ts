import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/base/async/cooperative.ts';
import { findSpans } from '../../src/redaction/engine/spans.ts';
import { redact } from '../../src/redaction/redact.ts';
import { redactJson } from '../../src/redaction/redact-json.ts';
import { makeRuleSet } from '../../src/redaction/rule-set.ts';
import { CORPUS } from './corpus.ts';

const rules = makeRuleSet();
const secrets = CORPUS.flatMap(({ text, secrets: found }) =>
  found
    .filter(
      ({ rule }) =>
        ![
          'named-secret',
          'authorization',
          'cookie',
          'url-password',
          'aws-secret-key',
          'azure-key',
          'webhook-url',
          'signed-url',
          'command-password',
          'seed-phrase',
        ].includes(rule),
    )
    .map(({ start, end }) => text.slice(start, end)),
);
const clean = CORPUS.filter(({ secrets: found }) => found.length === 0).map(({ text }) => text);

const PIECES = [
  ...'=:"\'`\\&%,;<>(){}[]|@/.-_+~ \n\t1aA*$#é\u{1f600}',
  '\\n',
  '\\"',
  '://',
  '[redacted:',
  ']',
  'password',
  'token',
  'api_key',
  'Authorization',
  'Bearer ',
  'Basic ',
  'Cookie: ',
  'value',
  'user:pass@host',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  'sk-',
  'ghp_',
  'AKIA',
  'eyJ',
  'AccountKey=',
  'hunter2',
  'abcdefgh12345678',
  'A'.repeat(40),
  'q1W2e3R4t5'.repeat(4),
];
const textOf = (...pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join('')),
  );
const anyText = textOf(...PIECES, ...PIECES, ...PIECES, ...secrets);
const around = textOf(...PIECES);
const gap = fc.constantFrom(' ', '\n', '\\n', '"', "'", ' = ', '(', '> ', ', ', '`', '\t', '=');

describe('redaction', () => {
  it('is idempotent for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redact(text, rules).text;
        expect(redact(once, rules)).toEqual({ text: once, found: {} });
      }),
      { numRuns: 5_000 },
    );
  });

  it('redacts a secret inside of any text', () => {
    fc.assert(
      fc.property(
        around,
        gap,
        fc.constantFrom(...secrets),
        gap,
        around,
        (before, open, secret, close, after) => {
          expect(redact(`${before}${open}${secret}${close}${after}`, rules).text).not.toContain(secret);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keeps text without a secret', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(clean, { minLength: 1, maxLength: 5 }), (texts) => {
        // A rule may read a value from the next line, so the texts are kept apart.
        const text = texts.join('\n\n---\n\n');
        expect(redact(text, rules)).toEqual({ text, found: {} });
      }),
    );
  });

  it('keeps the names of a structured value, and is idempotent for it', () => {
    const name = fc.constantFrom(
      'password',
      'api_key',
      'note',
      'token',
      'count',
      'Authorization',
      'passphrase',
    );
    const text = fc.oneof(fc.constantFrom(...secrets, 'letmein', 'string', 'hunter2', ''), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, text), (value) => {
        const redacted = redactJson(value, rules).value;
        expect(redactJson(redacted, rules)).toEqual({ value: redacted, found: {} });
        expect(Object.keys(redacted as object)).toEqual(Object.keys(value));
      }),
    );
  });

  it('finds the same with and without the check for name endings', () => {
    // A configured name disables the check.
    const withoutCheck = makeRuleSet({ keys: ['qqqq'] });
    const word = fc.constantFrom(
      'pass',
      'password',
      'passwd',
      'pwd',
      'secret',
      'token',
      'key',
      'api',
      'access',
      'auth',
    );
    const end = fc.constantFrom(
      '',
      's',
      'ed',
      'word',
      'Id',
      'ID',
      '_2',
      '-base',
      'Value',
      'é',
      ' by',
      '3',
      'phrase',
    );
    const joined = fc.constantFrom('', '_', '-', ' ', '.', '/', '"', ': ', '=', '\n', ',', '|', '\t', '":"');
    const value = fc.constantFrom(
      'hunter2',
      'q1W2e3R4t5q1W2e3',
      '"q1W2e3R4t5q1W2e3"',
      '\n',
      '{"',
      '"}',
      'plain words',
    );
    const piece = fc.oneof(word, word, end, joined, joined, value);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), fc.boolean(), (pieces, isJson) => {
        const plain = pieces.join('');
        const text = isJson ? JSON.stringify({ [plain]: 'q1W2e3R4t5q1W2e3', note: plain }) : plain;
        expect(redact(text, rules)).toEqual(redact(text, withoutCheck));
      }),
      { numRuns: 20_000 },
    );
  }, 120_000);

  it('finds the same for any chunk length', () => {
    const labelled = CORPUS.filter(({ secrets: found }) => found.length > 0).map(({ text }) => text);
    const any = fc.array(fc.oneof(around, fc.constantFrom(...labelled)), { maxLength: 6 });
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 300 }), (texts, length) => {
        const text = texts.join(' ');
        expect(runSync(findSpans(text, rules, length))).toEqual(runSync(findSpans(text, rules)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('redacts in JSON text all that it redacts in the structured value', () => {
    const name = fc.constantFrom(
      ...[
        'password',
        'name',
        'key',
        'value',
        'type',
        'token',
        'Set-Cookie',
        'authorization',
        'note',
        'x',
        '',
      ],
    );
    const text = fc.oneof(
      fc.constantFrom(...secrets, 'DB_PASSWORD', 'API_KEY', 'hunter2', 'a"b"c9', 'sid=abc123def456; Path=/'),
      fc.constantFrom(
        'Bearer abcdefgh12345678xyz',
        'postgres://a:b/c@host',
        'line1\nline2x',
        'p\\ss/w\u00f6rd9',
      ),
      around,
    );
    const { value: document } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      ),
    }));
    const holder = fc.oneof(
      fc.array(document, { minLength: 1 }),
      fc.dictionary(name, document, { minKeys: 1 }),
    );
    fc.assert(
      fc.property(holder, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const redacted = redact(JSON.stringify(value, null, space), rules).text;
        const before = JSON.parse(JSON.stringify(value));
        expect(
          findRedacted(before, redactJson(before, rules).value).filter((secret) => redacted.includes(secret)),
        ).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Collects the strings that were redacted at every occurrence, in their JSON form. */
function findRedacted(before: unknown, after: unknown): string[] {
  const remaining = new Set(collectStrings(after));
  const redacted = collectStrings(before).filter((text) => text.length >= 4 && !remaining.has(text));
  return redacted.map((text) => JSON.stringify(text)).filter((text) => !JSON.stringify(after).includes(text));
}

function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}
