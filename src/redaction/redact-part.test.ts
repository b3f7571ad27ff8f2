import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../contract/call/tool-result.ts';
import { redactorBy, redactPart } from './redact-part.ts';
import { makeRuleSet } from './rule-set.ts';

const redactor = redactorBy(makeRuleSet());
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TOLD = `é line\ntoken ${SECRET} end`;

describe('a part', () => {
  it.each<[string, ContentPart]>([
    ['what comes with a text', { type: 'text', text: 'x', _meta: { k: SECRET } }],
    [
      'what comes with a picture',
      { type: 'image', data: 'AAAA', mimeType: 'image/png', _meta: { k: SECRET } },
    ],
    ['what comes with a sound', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', title: SECRET }],
    ['the address of bytes', { type: 'resource', resource: { uri: `https://h/?t=${SECRET}`, blob: '/wD/' } }],
    [
      'what comes with a resource',
      { type: 'resource', resource: { uri: 'x:y', text: '' }, annotations: { a: SECRET } },
    ],
    ['the text of a resource', { type: 'resource', resource: { uri: 'x:y', text: TOLD } }],
    ['a link', { type: 'resource_link', uri: `https://h/?t=${SECRET}`, name: SECRET }],
  ])('loses its secrets: %s', async (_, part) => {
    const told = JSON.stringify(await redactPart(part, redactor));
    expect(told).toBe(JSON.stringify(part).replaceAll(SECRET, '[redacted:github-token]'));
  });

  it.each<[string, string | undefined, string]>([
    ['text', 'text/plain', base64(TOLD)],
    [
      'a text of another charset',
      'text/plain; charset=iso-8859-1',
      Buffer.from(TOLD, 'latin1').toString('base64'),
    ],
    ['JSON', 'application/json', base64(JSON.stringify({ a: [SECRET] }))],
    ['what is nowhere said to be text', undefined, base64(TOLD)],
    ['what is said to be something else', 'application/x-sh', base64(TOLD)],
    ['a picture that is a text', 'image/svg+xml', base64(`<svg><!-- ${SECRET} --></svg>`)],
  ])('loses the secrets of %s that came as bytes', async (_, mimeType, blob) => {
    const part = { type: 'resource', resource: { uri: 'x:y', ...(mimeType && { mimeType }), blob } } as const;
    const redacted = (await redactPart(part, redactor)) as typeof part;
    const text = Buffer.from(redacted.resource.blob, 'base64').toString('latin1');
    expect(text).toBe(
      Buffer.from(blob, 'base64').toString('latin1').replace(SECRET, '[redacted:github-token]'),
    );
  });

  it('keeps bytes that are no text, and text without secrets, to the letter', async () => {
    for (const blob of [Buffer.from(`\0\u0001${SECRET}`).toString('base64'), '/wD/', 'aGVsbG8', '']) {
      const part: ContentPart = { type: 'resource', resource: { uri: 'x:y', blob } };
      expect(await redactPart(part, redactor)).toEqual(part);
    }
  });
});
