import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json/json.ts';
import type { ContentPart } from '../contract/call/tool-result.ts';
import { redactResult } from './redact-result.ts';
import { makeRuleSet } from './rule-set.ts';

const rules = makeRuleSet();
const outputSchema: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', 'x-sensitivity': 'pii' },
    ssn: { type: 'integer', 'x-sensitivity': 'pii' },
    age: { type: 'integer', 'x-sensitivity': 'pii' },
    notes: { type: 'array', items: { type: 'string' } },
  },
};
const structured = { name: 'Ada Lovelace', ssn: 123456789, age: 36, notes: ['Ada Lovelace, 36, called'] };
const redactedJson = async (...content: ContentPart[]): Promise<string> =>
  JSON.stringify(await redactResult({ content, structured, isError: false }, rules, outputSchema));
const text = (value: string): ContentPart => ({ type: 'text', text: value });
const resource = (value: string): ContentPart => ({
  type: 'resource',
  resource: { uri: 'x:y', text: value },
});

describe('redactResult with a marked output schema', () => {
  it.each<[string, ContentPart]>([
    ['a sentence', text('Customer: Ada Lovelace (123456789).')],
    ['JSON after a sentence', text(`Here it is:\n${JSON.stringify(structured)}`)],
    ['indented JSON', text(JSON.stringify(structured, null, 2))],
    ['JSON with escapes', text('{"other":"Ada\\u0020Lovelace"}')],
    ['an embedded resource', resource('Ada Lovelace has 123456789')],
    ['an embedded JSON resource', resource(JSON.stringify(structured))],
    [
      'text in base64',
      { type: 'resource', resource: { uri: 'x:y', blob: Buffer.from('by Ada Lovelace').toString('base64') } },
    ],
    ['a resource link', { type: 'resource_link', uri: 'x:y', title: 'Of Ada Lovelace' }],
  ])('redacts marked values in %s', async (_, part) => {
    const redacted = await redactedJson(part);
    const bytes = [...redacted.matchAll(/"blob":"([^"]*)"/g)].map(([, blob]) =>
      Buffer.from(blob!, 'base64').toString(),
    );
    expect(redacted + bytes.join('')).not.toMatch(/Ada|Lovelace|123456789/);
    expect(redacted + bytes.join('')).toContain('[redacted:pii]');
  });

  it('keeps the layout of a text, and values too short to be distinctive', async () => {
    const redacted = JSON.parse(
      await redactedJson(text('{ "id": 12345678901234567890, "age": 36, "n": "36" }')),
    );
    expect(redacted.content[0].text).toBe(
      '{ "id": 12345678901234567890, "age": "[redacted:pii]", "n": "36" }',
    );
    expect(redacted.structured).toEqual({
      name: '[redacted:pii]',
      ssn: '[redacted:pii]',
      age: '[redacted:pii]',
      notes: ['[redacted:pii], 36, called'],
    });
  });

  it('redacts a marked value only where it is a whole word', async () => {
    const { content } = await redactResult(
      { content: [text('Anna, Annapolis, Anna’s, Anna_1')], structured: { name: 'Anna' }, isError: false },
      rules,
      outputSchema,
    );
    expect(content[0]).toEqual(text('[redacted:pii], Annapolis, [redacted:pii]’s, [redacted:pii]_1'));
  });

  it('redacts thousands of marked values', async () => {
    const people = Array.from({ length: 3_000 }, (_, i) => `Person number ${i} of many`);
    const { content } = await redactResult(
      { content: [text(people.join('; '))], structured: { people }, isError: false },
      rules,
      { properties: { people: { items: { 'x-sensitivity': 'pii' } } } },
    );
    expect(content[0]).toEqual(text(people.map(() => '[redacted:pii]').join('; ')));
  });
});
