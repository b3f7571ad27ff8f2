import { describe, expect, it } from 'vitest';
import { isText, mediaTypeNamed } from './media-type.ts';

describe('mediaTypeNamed', () => {
  it.each<[unknown, string | undefined]>([
    ['text/plain', 'text/plain'],
    ['Text/HTML; charset=utf-8', 'text/html'],
    ['application/vnd.api+json;v=1', 'application/vnd.api+json'],
    ['image/png ', 'image/png'],
    ['text', undefined],
    ['text/', undefined],
    ['text/plain, text/html', undefined],
    [`text/${'x'.repeat(65)}`, undefined],
    ['', undefined],
    [7, undefined],
    [undefined, undefined],
  ])('reads %j as %s', (value, expected) => {
    expect(mediaTypeNamed(value)).toBe(expected);
  });
});

describe('isText', () => {
  it.each([
    ['text/csv', true],
    ['application/json', true],
    ['application/problem+json', true],
    ['application/x-ndjson', true],
    ['image/svg+xml', true],
    ['application/pdf', false],
    ['application/octet-stream', false],
    ['image/png', false],
  ])('is for %s: %s', (mediaType, expected) => {
    expect(isText(mediaType)).toBe(expected);
  });
});
