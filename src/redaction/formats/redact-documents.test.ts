import { describe, expect, it, vi } from 'vitest';
import { redact } from '../redact.ts';
import { makeRuleSet } from '../rule-set.ts';

const rules = makeRuleSet();
const NAMED = '[redacted:named-secret]';
const redacted = (text: string): string => redact(text, rules).text;

describe('redactDocuments', () => {
  it('does not parse a redacted value', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(redact(NAMED, rules, 'password').text).toBe(NAMED);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it.each([
    ['a name apart from its value', '{"key":"DB_PASSWORD","type":"plain","value":"hunter2"}'],
    ['a value before its name', '{"value":"hunter2","name":"DB_PASSWORD"}'],
    ['a list under a name', '{"password":["hunter2"]}'],
    ['an indented list', '{\n  "password": [\n    "hunter2"\n  ]\n}'],
    ['JSON in a string', JSON.stringify({ result: '{"value":"hunter2","name":"DB_PASSWORD"}' })],
    ['an escaped name', '{"\\u0070assword":"hunter2"}'],
    ['a document after a sentence', 'Found one:\n{"value":"hunter2",\n"name":"DB_PASSWORD"}\nThat is all.'],
    ['JSON lines', '{"id":1}\n{"value":"hunter2","name":"DB_PASSWORD"}\n{"id":2}'],
    ['complete objects of a truncated document', '[{"value":"hunter2","name":"DB_PASSWORD"},{"na'],
  ])('redacts JSON by its values: %s', (_, text) => {
    expect(redacted(text)).toBe(text.replace('hunter2', NAMED));
    expect(redact(redacted(text), rules)).toEqual({ text: redacted(text), found: {} });
  });

  it('keeps layout, escapes and numbers beyond double precision', () => {
    const text =
      '{ "id" : 12345678901234567890,\n\t"price":1.10, "n":"caf\\u00e9 \\/", "password": [ "hunter2" ] , "e":1E3 }\r\n';
    expect(redacted(text)).toBe(text.replace('hunter2', NAMED));
  });

  it('redacts both values of a duplicate name', () => {
    expect(redacted('{"password":["hunter2"],"password":["letmein"]}')).toBe(
      `{"password":["${NAMED}"],"password":["${NAMED}"]}`,
    );
    expect(redacted('{"password":"hunter2","password":{"a":"b"}}')).not.toContain('hunter2');
  });

  it.each([
    '[INFO] started {"a":1} with "x"',
    '[1] one\n[2] two: "three"\n{ not: json }',
    '{"a":1} trailing "key"',
    '[\n"key",\n',
    '{"token_count":1,"key":"value"}',
    '\ufeff{"key":"a"}',
  ])('keeps JSON, and text that resembles it, without a secret: %j', (text) => {
    expect(redact(text, rules)).toEqual({ text, found: {} });
  });

  it('accepts deeply nested JSON', () => {
    const deep = `${'['.repeat(50_000)}"key"${']'.repeat(50_000)}`;
    expect(redact(deep, rules).found).toEqual({ 'too-deep': 1 });
    expect(redacted('['.repeat(200_000))).toHaveLength(200_000);
  });
});
