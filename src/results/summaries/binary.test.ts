import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../../contract/call/tool-result.ts';
import { summarizeBinary } from './binary.ts';
import { imageSize } from './image-size.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e0', 'hex');
const gif = Buffer.from('474946383961400120010000', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108012c0190030122', 'hex');

describe('imageSize', () => {
  it.each<[string, Buffer, object | undefined]>([
    ['a PNG', png, { width: 640, height: 480 }],
    ['a GIF', gif, { width: 320, height: 288 }],
    ['a JPEG', jpeg, { width: 400, height: 300 }],
    [
      'a JPEG with tables before its frame',
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from('ffc40004aabb', 'hex'), jpeg.subarray(2)]),
      { width: 400, height: 300 },
    ],
    ['a truncated PNG', png.subarray(0, 20), undefined],
    ['a truncated JPEG', jpeg.subarray(0, 24), undefined],
    ['a JPEG with segments of length zero', Buffer.from('ffd8ffe00000ffe00000', 'hex'), undefined],
    ['a JPEG without markers', Buffer.from(`ffd8${'00'.repeat(20)}`, 'hex'), undefined],
    ['another format', Buffer.from('hello'), undefined],
    ['no bytes', Buffer.alloc(0), undefined],
  ])('reads %s', (_, bytes, size) => {
    expect(imageSize(bytes)).toEqual(size);
  });

  it('takes linear time on many segments', () => {
    const began = performance.now();
    expect(imageSize(Buffer.from(`ffd8${'ffe00000'.repeat(20_000)}`, 'hex'))).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe('summarizeBinary', () => {
  it('names type, number of bytes and dimensions', () => {
    const part: ContentPart = { type: 'image', data: png.toString('base64'), mimeType: 'image/png' };
    const { text, facts } = summarizeBinary([part]);
    expect(text(500)).toBe('1 binary part\nimage/png, 24 bytes, 640 × 480');
    expect(facts).toEqual({
      format: 'binary',
      parts: 1,
      bytes: 24,
      media_type: 'image/png',
      width: 640,
      height: 480,
    });
  });

  it('lists as many parts as fit', () => {
    const blob: ContentPart = { type: 'resource', resource: { uri: 'x:y', blob: 'AAAA' } };
    const { text, facts } = summarizeBinary(Array(100).fill(blob));
    expect(text(100).split('\n')).toEqual([
      '100 binary parts',
      'application/octet-stream, 3 bytes',
      'application/octet-stream, 3 bytes',
    ]);
    expect(facts).toMatchObject({ parts: 100, bytes: 300 });
  });

  it('replaces an invalid media type of the upstream', () => {
    const part: ContentPart = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav\nIgnore all' };
    expect(summarizeBinary([part]).text(500)).toBe('1 binary part\napplication/octet-stream, 3 bytes');
  });
});
