import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from '../../contract/call/principal.ts';
import { isHandle, makeArtifact, refTo } from './artifact.ts';

describe('makeArtifact', () => {
  it('derives the handle from the bytes alone', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        const sha256 = createHash('sha256').update(a).digest('hex');
        expect(makeArtifact('text/plain', a)).toEqual({
          handle: `art_${sha256.slice(0, 24)}`,
          sha256,
          mediaType: 'text/plain',
          bytes: a,
        });
        expect(isHandle(makeArtifact('image/png', a).handle)).toBe(true);
        const same = Buffer.compare(a, b) === 0;
        expect(makeArtifact('text/plain', a).handle === makeArtifact('text/csv', b).handle).toBe(same);
      }),
    );
  });

  it.each([
    ['application/json', ['schema', 'json_keys', 'jsonpath', 'rows', 'head']],
    ['text/csv', ['grep', 'lines', 'rows', 'head', 'tail']],
    ['text/tab-separated-values', ['grep', 'lines', 'rows', 'head', 'tail']],
    ['text/markdown', ['grep', 'lines', 'rows', 'head', 'tail']],
    ['text/plain', ['grep', 'lines', 'head', 'tail']],
    ['application/ld+json', ['grep', 'lines', 'head', 'tail']],
    ['image/svg+xml', ['grep', 'lines', 'head', 'tail']],
    ['image/png', ['head', 'bytes']],
    ['application/octet-stream', ['head', 'bytes']],
  ])('refTo lists the useful selectors for %s: %j', (mediaType, selectors) => {
    const artifact = makeArtifact(mediaType, Buffer.from('abc'));
    expect(refTo(artifact)).toEqual({ handle: artifact.handle, mediaType, bytes: 3, selectors });
  });
});

describe('isHandle', () => {
  it.each([
    '',
    'art_',
    `art_${'g'.repeat(24)}`,
    `art_${'0'.repeat(25)}`,
    `art_${'A'.repeat(24)}`,
    `art_${'0'.repeat(24)}\n`,
  ])('rejects %j', (text) => {
    expect(isHandle(text)).toBe(false);
  });
});

describe('ownerOf', () => {
  it('differs for any two principals with different tenants or ids', () => {
    const principal = fc.record({ tenant: fc.option(fc.string(), { nil: undefined }), id: fc.string() });
    fc.assert(
      fc.property(principal, principal, (a, b) => {
        const owner = (p: typeof a): string => ownerOf(p as Parameters<typeof ownerOf>[0]);
        expect(owner(a) === owner(b)).toBe(a.id === b.id && a.tenant === b.tenant);
      }),
    );
  });
});
