import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseContentPart } from './content-part.ts';

describe('parseContentPart', () => {
  it.each([
    [{ type: 'text', text: 'hi' }],
    [{ type: 'text', text: '', annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } }],
    [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    [{ type: 'audio', data: '', mimeType: 'audio/wav' }],
    [{ type: 'resource', resource: { uri: 'a:b', text: 'hi' } }],
    [{ type: 'resource', resource: { uri: 'a:b', blob: 'aGk=', mimeType: 'application/zip' } }],
    [{ type: 'resource_link', uri: 'a:b', name: 'b', size: 3 }],
  ])('returns a valid block unchanged: %j', (block) => {
    expect(parseContentPart(block)).toEqual(block);
  });

  it.each([
    [{ type: 'text', text: 'hi', annotations: 7 }],
    [{ type: 'text', text: 'hi', annotations: { audience: ['nobody'] } }],
    [{ type: 'text', text: 'hi', annotations: { priority: 2 } }],
    [{ type: 'text', text: 'hi', _meta: 7 }],
  ])('drops invalid metadata: %j', (block) => {
    expect(parseContentPart(block)).toEqual({ type: 'text', text: 'hi' });
  });

  it('names a resource link by its URI where it has no name', () => {
    expect(parseContentPart({ type: 'resource_link', uri: 'a:b' })).toMatchObject({ name: 'a:b' });
  });

  it.each([
    ['with line breaks', 'QUJD\r\nREVG\n', 'QUJDREVG'],
    ['without padding', 'QUI', 'QUI='],
    ['with line breaks and padding', 'QUJDREVGQQ\n==\n', 'QUJDREVGQQ=='],
    ['in the URL alphabet', '-_-_', '+/+/'],
  ])('normalizes base64 %s', (_, data, expected) => {
    const image = { type: 'image', mimeType: 'image/png' };
    expect(parseContentPart({ ...image, data })).toEqual({ ...image, data: expected });
    const resource = { uri: 'a:b', mimeType: 'application/zip' };
    expect(parseContentPart({ type: 'resource', resource: { ...resource, blob: data } })).toEqual({
      type: 'resource',
      resource: { ...resource, blob: expected },
    });
  });

  it('keeps the bytes of any base64 form', () => {
    const encoded = fc
      .uint8Array()
      .chain((bytes) =>
        fc.constantFrom('base64' as const, 'base64url' as const).map((form) => ({ bytes, form })),
      );
    fc.assert(
      fc.property(encoded, fc.integer({ min: 1, max: 8 }), ({ bytes, form }, width) => {
        const data = Buffer.from(bytes)
          .toString(form)
          .replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
        expect(parseContentPart({ type: 'audio', data, mimeType: 'audio/wav' })).toMatchObject({
          data: Buffer.from(bytes).toString('base64'),
        });
      }),
    );
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{}],
    [{ type: 'video', data: '' }],
    [{ type: 'text' }],
    [{ type: 'text', text: 7 }],
    [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }],
    [{ type: 'image', data: 'aGk=' }],
    [{ type: 'resource', resource: { text: 'no address' } }],
    [{ type: 'resource', resource: { uri: 'a:b', text: 7 } }],
    [{ type: 'resource', resource: { uri: 'a:b', blob: '%' } }],
    [{ type: 'resource', resource: 'a:b' }],
    [{ type: 'resource_link' }],
    [{ type: 'image', data: 'QUJDR', mimeType: 'image/png' }],
  ])('replaces an invalid block by a note: %j', (block) => {
    expect(parseContentPart(block)).toEqual({
      type: 'text',
      text: expect.stringMatching(/^\[A content part(?: of type \w+)? was dropped: .*\]$/),
    });
  });
});
