import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';
import { makeRuleSet, RULE_NAMES } from './rule-set.ts';

const rules = makeRuleSet();
const GITHUB = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

describe('redact', () => {
  it('replaces each secret by a marker and keeps the other text', () => {
    expect(redact(`token ${GITHUB}, twice: ${GITHUB}`, rules)).toEqual({
      text: 'token [redacted:github-token], twice: [redacted:github-token]',
      found: { 'github-token': 2 },
    });
  });

  it('returns the same string where it has no secret', () => {
    const text = 'The password must be at least 8 characters long.';
    expect(redact(text, rules)).toEqual({ text, found: {} });
  });

  it.each([
    ['postgres://app:hunter2@db/app', 'postgres://app:[redacted:url-password]@db/app'],
    ['redis://:hunter2@cache', 'redis://:[redacted:url-password]@cache'],
    [`https://x:${GITHUB}@github.com`, 'https://x:[redacted:github-token]@github.com'],
    ['PASSWORD=a&b,c;d rest', 'PASSWORD=[redacted:named-secret] rest'],
    ['?password=abcd&page=2', '?password=[redacted:named-secret]&page=2'],
    ['{"password":"a\\"b"}', '{"password":"[redacted:named-secret]"}'],
    ['{\\"password\\":\\"abc\\",\\"x\\":1}', '{\\"password\\":\\"[redacted:named-secret]\\",\\"x\\":1}'],
    ['log: "password":"cut off here1', 'log: "password":"[redacted:named-secret]'],
    [`${GITHUB}${GITHUB}`, '[redacted:github-token]'],
    [`line\\n${GITHUB}\\nline`, 'line\\n[redacted:github-token]\\nline'],
    [`a%3D${GITHUB}`, 'a%3D[redacted:github-token]'],
    ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer [redacted:authorization]'],
    ['Cookie: theme=dark; sid=abcdef0123456789', 'Cookie: theme=dark; sid=[redacted:cookie]'],
    [
      'BUCKET  SECRET-KEY                AGE\nmedia   t5k2m9x7q4w8z1b6n3v0p5r2  3d',
      'BUCKET  SECRET-KEY                AGE\nmedia   [redacted:named-secret]  3d',
    ],
    ['le mot de passe est « k7-Tram!42 »', 'le mot de passe est « [redacted:named-secret] »'],
    [`${GITHUB.slice(0, 30)}\u200b${GITHUB.slice(30)} x`, '[redacted:github-token] x'],
    [
      `${GITHUB} \u200b👩\u200d💻 ${GITHUB}`,
      '[redacted:github-token] \u200b👩\u200d💻 [redacted:github-token]',
    ],
    [
      `Content-Transfer-Encoding: quoted-printable\n\nuse ${GITHUB.slice(0, 9)}=\n${GITHUB.slice(9)} now`,
      'Content-Transfer-Encoding: quoted-printable\n\nuse [redacted:github-token] now',
    ],
  ])('redacts %s to %s', (text, redacted) => {
    expect(redact(text, rules).text).toBe(redacted);
    expect(redact(redacted, rules)).toEqual({ text: redacted, found: {} });
  });

  it('uses the name of the member whose whole value the text is', () => {
    expect(redact('letmein', rules).text).toBe('letmein');
    expect(redact('letmein', rules, 'db_password').text).toBe('[redacted:named-secret]');
    expect(redact(GITHUB, rules, 'token').text).toBe('[redacted:github-token]');
    expect(redact('Basic abcdef0123456789', rules, 'authorization').text).toBe(
      'Basic [redacted:authorization]',
    );
  });

  it.each([
    'redacted',
    '[redacted:',
    '[redacted:x',
    '[redacted:token]=abc12345',
    '\ud800',
    '\udfff=\ud800',
    '\0',
  ])('keeps malformed text %j', (text) => {
    expect(redact(text, rules).text).toBe(text);
  });
});

describe('makeRuleSet', () => {
  it('disables rules by name', () => {
    const without = makeRuleSet({ off: ['github-token', 'named-secret'] });
    expect(redact(`${GITHUB} password=hunter2`, without).text).toBe(`${GITHUB} password=hunter2`);
    expect(redact('letmein', without, 'password').text).toBe('letmein');
    expect(redact('postgres://a:hunter2@h', without).found).toEqual({ 'url-password': 1 });
  });

  it('can disable every rule', () => {
    expect(redact(`password=hunter2 ${GITHUB}`, makeRuleSet({ off: RULE_NAMES })).found).toEqual({});
  });

  it('adds patterns and redacts their first group', () => {
    const custom = makeRuleSet({
      rules: [
        { name: 'employee', pattern: 'EMP-\\d{6}' },
        { name: 'badge', pattern: 'badge (\\w+)' },
      ],
    });
    expect(redact('EMP-123456 has badge X9 and EMP-1', custom)).toEqual({
      text: '[redacted:employee] has badge [redacted:badge] and EMP-1',
      found: { employee: 1, badge: 1 },
    });
    const redacted = redact(`EMP-123456 ${GITHUB}`, custom).text;
    expect(redact(redacted, custom)).toEqual({ text: redacted, found: {} });
  });

  it('adds sensitive names in any spelling', () => {
    const named = makeRuleSet({ keys: ['Customer-Code', 'pn'] });
    expect(redact('customerCode: "blue", CUSTOMER_CODE=green1 pn=17ab my_pn=2', named).text).toBe(
      'customerCode: "[redacted:named-secret]", CUSTOMER_CODE=[redacted:named-secret] pn=[redacted:named-secret] my_pn=2',
    );
  });

  it.each([
    [{ off: ['nothing'] }, 'Unknown redaction rule "nothing" in "off".'],
    [
      { rules: [{ name: 'jwt', pattern: 'x' }] },
      'The name "jwt" belongs to a built-in redaction rule: choose another name.',
    ],
    [
      { rules: [{ name: 'A]', pattern: 'x' }] },
      'Invalid name of a redaction rule: "A]". Use a-z, 0-9 and dashes, at most 40 characters.',
    ],
    [{ rules: [{ name: 'a', pattern: '(?=x)' }] }, 'cannot be matched in linear time'],
    [{ rules: [{ name: 'a', pattern: '(x)\\1' }] }, 'cannot be matched in linear time'],
    [{ rules: [{ name: 'a', pattern: 'x*' }] }, 'matches the empty text'],
    [{ rules: [{ name: 'a', pattern: 'x'.repeat(1_001) }] }, 'is too long'],
    [{ rules: [{ name: 'a', pattern: 'a{999}'.repeat(9) }] }, 'is too large'],
  ])('rejects %j with a reason', (options, message) => {
    expect(() => makeRuleSet(options)).toThrow(message);
  });
});
