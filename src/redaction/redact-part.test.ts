import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../contract/call/tool-result.ts';
import { makeRedactor, redactPart, redactParts } from './redact-part.ts';
import { makeRuleSet } from './rule-set.ts';

const redactor = makeRedactor(makeRuleSet());
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TEXT = `é line\ntoken ${SECRET} end`;

describe('redactPart', () => {
  it.each<[string, ContentPart]>([
    ['the metadata of a text', { type: 'text', text: 'x', _meta: { k: SECRET } }],
    [
      'the metadata of an image',
      { type: 'image', data: 'AAAA', mimeType: 'image/png', _meta: { k: SECRET } },
    ],
    ['the title of an audio part', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', title: SECRET }],
    [
      'the URI of a binary resource',
      { type: 'resource', resource: { uri: `https://h/?t=${SECRET}`, blob: '/wD/' } },
    ],
    [
      'the annotations of a resource',
      { type: 'resource', resource: { uri: 'x:y', text: '' }, annotations: { a: SECRET } },
    ],
    ['the text of a resource', { type: 'resource', resource: { uri: 'x:y', text: TEXT } }],
    ['a resource link', { type: 'resource_link', uri: `https://h/?t=${SECRET}`, name: SECRET }],
  ])('redacts %s', async (_, part) => {
    const redacted = JSON.stringify(await redactPart(part, redactor));
    expect(redacted).toBe(JSON.stringify(part).replaceAll(SECRET, '[redacted:github-token]'));
  });

  it.each<[string, string | undefined, string]>([
    ['text', 'text/plain', base64(TEXT)],
    [
      'text in another charset',
      'text/plain; charset=iso-8859-1',
      Buffer.from(TEXT, 'latin1').toString('base64'),
    ],
    ['JSON', 'application/json', base64(JSON.stringify({ a: [SECRET] }))],
    ['text without a media type', undefined, base64(TEXT)],
    ['text with another media type', 'application/x-sh', base64(TEXT)],
    ['an SVG image', 'image/svg+xml', base64(`<svg><!-- ${SECRET} --></svg>`)],
  ])('redacts %s in base64', async (_, mimeType, blob) => {
    const part = { type: 'resource', resource: { uri: 'x:y', ...(mimeType && { mimeType }), blob } } as const;
    const redacted = (await redactPart(part, redactor)) as typeof part;
    const text = Buffer.from(redacted.resource.blob, 'base64').toString('latin1');
    expect(text).toBe(
      Buffer.from(blob, 'base64').toString('latin1').replace(SECRET, '[redacted:github-token]'),
    );
  });

  it('keeps binary data and text without secrets byte for byte', async () => {
    for (const blob of [Buffer.from(`\0\u0001${SECRET}`).toString('base64'), '/wD/', 'aGVsbG8', '']) {
      const part: ContentPart = { type: 'resource', resource: { uri: 'x:y', blob } };
      expect(await redactPart(part, redactor)).toEqual(part);
    }
  });
});

describe('redactParts', () => {
  it('returns to the event loop between groups of parts', async () => {
    const parts = Array.from({ length: 100_000 }, (): ContentPart => ({ type: 'text', text: 'part' }));
    let turns = 0;
    const timer = setImmediate(function count(): void {
      turns++;
      if (turns < 10_000) setImmediate(count);
    });
    expect(await redactParts(parts, redactor)).toEqual(parts);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(100);
    turns = 10_000;
  });
});
