import { describe, expect, it } from 'vitest';
import { makeArtifact } from './artifact.ts';
import { readDocument } from './document.ts';

const json = (text: string, mediaType = 'application/json'): object | undefined =>
  readDocument(makeArtifact(mediaType, Buffer.from(text)));

describe('readDocument', () => {
  it('parses a document once for consecutive reads, and never returns another one', () => {
    const first = json('{"a":1}');
    expect(json('{"a":1}')).toBe(first);
    expect(json('{"a":2}')).toEqual({ a: 2 });
    expect(json('{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ['plain text', '{"a":1}', 'text/plain'],
    ['text that is not JSON despite its media type', '{"a":', 'application/json'],
    ['a document nested too deeply', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'application/json'],
    ['a single number', '7', 'application/json'],
  ])('returns undefined for %s', (_, text, mediaType) => {
    json('{"a":1}');
    expect(json(text, mediaType)).toBeUndefined();
  });
});
