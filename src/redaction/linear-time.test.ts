import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';
import { makeRuleSet } from './rule-set.ts';
import { makeKnownValuesRule } from './rules/known-values.ts';

const rules = makeRuleSet();
/** One keyword of each rule. */
const keywords = [
  ...new Set(
    [...rules.prefilter.candidates.values()].flatMap((candidates) =>
      candidates.rules.map(({ rule, keyword }) => `${rule.name} ${keyword.source.split('|')[0]!}`),
    ),
  ),
]
  .map((line): [string, string] => {
    const [name, ...source] = line.split(' ');
    return [name!, source.join(' ').split('(?=')[0]!.replace(/\\(.)/g, '$1')];
  })
  .filter(([name], i, all) => all.findIndex(([other]) => other === name) === i);

const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts that make naive patterns backtrack: keywords without an end, and runs that almost match. */
const SUFFIXES = ['', '=', ': ', '=\\"', '-', '.', '+'];
const RUNS = ['A1', 'a.', '\\"', ' '];

// A rule that is not linear takes minutes here, and the time limit of the test stops it.
describe('redact on hostile text', () => {
  it.each(keywords)('runs %s on repetitions of %j in linear time', (_, keyword) => {
    for (const unit of SUFFIXES) {
      const text = fill(keyword + unit, 100_000);
      expect(redact(text, rules).text.length).toBeGreaterThan(0);
    }
    for (const run of RUNS) {
      const text = `${keyword}="${fill(run, 100_000)}`;
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
    'privkey "a',
    'accounts: ["0x',
    'NAME  SECRET-KEY\n',
    'NAME  SECRET-KEY\na     a1b2c3d4e5f6a7b8c9\n',
    'contraseña de la ',
    'recovery codes safe ',
    "password='''a",
    '<password><![CDATA[',
    'pwd={a',
    'password=a1\\\n',
    'key\u200b',
    'quoted-printable token=\n',
  ])('takes linear time for a megabyte of %j', (unit) => {
    expect(redact(fill(unit, 1_000_000), rules).text.length).toBeGreaterThan(0);
  });

  it('takes linear time for JSON nested in strings of JSON', () => {
    let text = 'password=hunter2';
    while (text.length < 500_000) text = JSON.stringify([text, 'key']);
    expect(redact(text, rules).text).not.toContain('hunter2');
  });

  it('takes linear time for known values that share a long prefix', () => {
    const alike = Array.from({ length: 2_000 }, (_, i) => `${'a'.repeat(200)}${i}`);
    const rule = makeKnownValuesRule(new Map(alike.map((value) => [value, 'pii'])))!;
    const known = { ...rules, custom: [rule] };
    expect(redact(fill('a', 300_000), known).found).toEqual({});
    expect(redact(fill(' aaaa', 300_000), known).found).toEqual({});
    expect(redact(alike.join(' '), known).found).toEqual({ pii: 2_000 });
  });
});
