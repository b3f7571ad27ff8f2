import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/results/redaction/redact.ts';
import { redactJson } from '../../src/results/redaction/redact-json.ts';
import { makeRuleSet } from '../../src/results/redaction/rule-set.ts';
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
          'command-password',
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
  it('is settled at once, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redact(text, rules).text;
        expect(redact(once, rules)).toEqual({ text: once, found: {} });
      }),
      { numRuns: 5_000 },
    );
  });

  it('leaves no planted secret, whatever stands around it', () => {
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

  it('returns clean text as it is', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(clean, { minLength: 1, maxLength: 5 }), (texts) => {
        const text = texts.join('\n\n');
        expect(redact(text, rules)).toEqual({ text, found: {} });
      }),
    );
  });

  it('keeps the names of a value, and settles it at once', () => {
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
});
