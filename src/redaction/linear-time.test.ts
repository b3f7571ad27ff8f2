import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';
import { makeRuleSet } from './rule-set.ts';
import { knownValues } from './rules/known-values.ts';

const rules = makeRuleSet();
const openings = [
  ...new Set(
    [...rules.prefilter.suspects.values()].flatMap(({ each }) =>
      each.map(({ rule, opening }) => `${rule.name} ${opening.source.split('|')[0]!}`),
    ),
  ),
]
  .map((line): [string, string] => {
    const [name, ...source] = line.split(' ');
    return [name!, source.join(' ').split('(?=')[0]!.replace(/\\(.)/g, '$1')];
  })
  .filter(([name], i, all) => all.findIndex(([other]) => other === name) === i);

const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** What makes naive patterns try again and again: openings without an end, and runs that almost fit. */
const HOSTILE = ['', '=', ': ', '=\\"', '-', '.', '+'];
const RUNS = ['A1', 'a.', '\\"', ' '];

// Whatever is not linear takes minutes here, and the limit of a test stops it.
describe('a text that was made to be slow', () => {
  it.each(openings)('passes %s (%s), a hundred kilobytes at a time', (_, opening) => {
    for (const unit of HOSTILE) {
      const text = filled(opening + unit, 100_000);
      expect(redact(text, rules).text.length).toBeGreaterThan(0);
    }
    for (const run of RUNS) {
      const text = `${opening}="${filled(run, 100_000)}`;
      expect(redact(text, rules).text.length).toBeGreaterThan(0);
    }
  });

  it.each([
    'token=',
    'password="',
    'token=\\"',
    'authorization:',
    'bearer+',
    'cookie=',
    'eyJ--',
    'eyJhbGciOiJub25lIn0.',
    '-----BEGIN PRIVATE KEY-----',
    'https://a:',
    'https://a:b@',
    'xoxe.',
    '[redacted:token]=',
    '\\',
    '\u{1f600}password=\u{1f600}',
    '{"password":"',
    '{"password":["key",',
    '[{"key":"v"},\n',
    '["key\n',
    '[\n',
    '{"a":\n',
    '"\\"key',
    'key,"a\n',
    'user,password\n',
    'user,password\n\n',
    '| user | password |\n|---|---|\n',
    '\n---------- ',
    'password:\n',
    'password,',
    '1/1204567890123456/',
    'X-Amz-Signature=',
    'sl.',
  ])('passes as a megabyte of %j', (unit) => {
    expect(redact(filled(unit, 1_000_000), rules).text.length).toBeGreaterThan(0);
  });

  it('passes as JSON in a string of JSON, again and again', () => {
    let text = 'password=hunter2';
    while (text.length < 500_000) text = JSON.stringify([text, 'key']);
    expect(redact(text, rules).text).not.toContain('hunter2');
  });

  it('passes as values that a schema marks and that begin alike', () => {
    const alike = Array.from({ length: 2_000 }, (_, i) => `${'a'.repeat(200)}${i}`);
    const rule = knownValues(new Map(alike.map((value) => [value, 'pii'])))!;
    const known = { ...rules, own: [rule] };
    expect(redact(filled('a', 300_000), known).found).toEqual({});
    expect(redact(filled(' aaaa', 300_000), known).found).toEqual({});
    expect(redact(alike.join(' '), known).found).toEqual({ pii: 2_000 });
  });
});
