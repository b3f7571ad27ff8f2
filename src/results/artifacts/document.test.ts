import { describe, expect, it } from 'vitest';
import { makeArtifact } from './artifact.ts';
import { readDocument } from './document.ts';

const json = (text: string, mediaType = 'application/json'): object | undefined =>
  readDocument(makeArtifact(mediaType, Buffer.from(text)));

describe('the document in an artifact', () => {
  it('is read once in a row, and never taken for another', () => {
    const first = json('{"a":1}');
    expect(json('{"a":1}')).toBe(first);
    expect(json('{"a":2}')).toEqual({ a: 2 });
    expect(json('{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ['text', '{"a":1}', 'text/plain'],
    ['what only says that it is one', '{"a":', 'application/json'],
    ['what is too deep', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'application/json'],
    ['a value alone', '7', 'application/json'],
  ])('is none in %s', (_, text, mediaType) => {
    json('{"a":1}');
    expect(json(text, mediaType)).toBeUndefined();
  });
});
