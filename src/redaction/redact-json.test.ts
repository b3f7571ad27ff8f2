import { describe, expect, it } from 'vitest';
import { redactJson } from './redact-json.ts';
import { makeRuleSet } from './rule-set.ts';

const rules = makeRuleSet();
const GITHUB = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const NAMED = '[redacted:named-secret]';

describe('redactJson', () => {
  it('keeps names and redacts the values of sensitive names', () => {
    const value = {
      user: 'bob',
      password: 'letmein',
      nested: [{ apiKey: 'abcdef0123456789', note: `see ${GITHUB}` }],
      headers: { Authorization: ['Bearer abcdef0123456789'], 'Set-Cookie': ['sid=abcdef0123456789; Path=/'] },
    };
    expect(redactJson(value, rules)).toEqual({
      value: {
        user: 'bob',
        password: NAMED,
        nested: [{ apiKey: NAMED, note: 'see [redacted:github-token]' }],
        headers: {
          Authorization: ['Bearer [redacted:authorization]'],
          'Set-Cookie': ['sid=[redacted:cookie]; Path=/'],
        },
      },
      found: { 'named-secret': 2, 'github-token': 1, authorization: 1, cookie: 1 },
    });
  });

  it.each([
    { max_tokens: 5, token_count: 17, tokens: ['a', 'b'], password: 12345678, secret: true, token: null },
    { token_type: 'Bearer', nextPageToken: 'CiAKGjBpNDd2Nmp2Zml2cXRw', progressToken: 'abc12345678' },
    { password: 'string', token: '<token>', api_key: '$API_KEY', secret: '' },
    { password: '[redacted:pii]', name: 'password', key: 'token', value: 'x' },
    'plain',
    7,
    null,
    undefined,
    [],
  ])('returns the same value where %j has no secret', (value) => {
    expect(redactJson(value, rules).value).toBe(value);
  });

  it('redacts the value of a name-value pair', () => {
    const pairs = [
      { name: 'DB_PASSWORD', value: 'letmein' },
      { key: 'Authorization', value: 'Basic abcdef0123456789' },
      { name: 'PATH', value: '/usr/bin' },
    ];
    expect(redactJson(pairs, rules).value).toEqual([
      { name: 'DB_PASSWORD', value: NAMED },
      { key: 'Authorization', value: 'Basic [redacted:authorization]' },
      { name: 'PATH', value: '/usr/bin' },
    ]);
  });

  it('accepts values that are deeply nested or have special names', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 20_000; i++) deep = [deep];
    expect(redactJson(deep, rules).found).toEqual({ 'too-deep': 1 });
    const odd = JSON.parse('{"__proto__":{"password":"letmein"},"constructor":"x"}');
    expect(JSON.stringify(redactJson(odd, rules).value)).toBe(
      `{"__proto__":{"password":"${NAMED}"},"constructor":"x"}`,
    );
  });

  it('is idempotent', () => {
    const once = redactJson({ password: 'letmein', text: `x ${GITHUB}` }, rules).value;
    expect(redactJson(once, rules)).toEqual({ value: once, found: {} });
  });
});
