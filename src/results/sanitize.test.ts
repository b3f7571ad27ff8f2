import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../contract/call/tool-result.ts';
import { sanitizePart, sanitizeResult } from './sanitize.ts';

const HIDDEN = '\u001b[31m\u202e\u{e0041}\u200b';

describe('sanitizePart and sanitizeResult', () => {
  it.each<[ContentPart, ContentPart]>([
    [
      { type: 'text', text: `a${HIDDEN}b\n` },
      { type: 'text', text: 'ab\n' },
    ],
    [
      {
        type: 'resource',
        resource: { uri: `x:${HIDDEN}y`, text: `a${HIDDEN}b`, mimeType: `text/plain${HIDDEN}` },
      },
      { type: 'resource', resource: { uri: 'x:y', text: 'ab', mimeType: 'text/plain' } },
    ],
    [
      {
        type: 'resource_link',
        uri: `x:${HIDDEN}`,
        name: `n${HIDDEN}`,
        title: `t${HIDDEN}`,
        description: `d${HIDDEN}`,
      },
      { type: 'resource_link', uri: 'x:', name: 'n', title: 't', description: 'd' },
    ],
    [
      { type: 'image', data: 'AAAA', mimeType: `image/png${HIDDEN}` },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
  ])('remove hidden characters from %j', (part, clean) => {
    expect(sanitizePart(part)).toEqual(clean);
  });

  it('leave a clean result unchanged, including unknown members', () => {
    const content: ContentPart[] = [
      {
        type: 'text',
        text: 'héllo\t😀\r\n',
        annotations: { audience: ['user'], priority: 0.5 },
        _meta: { 'a/b': [1] },
      },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'x:y', blob: 'AAAA', _meta: {} } },
      { type: 'resource_link', uri: 'x:y', name: 'n', size: 5 },
    ];
    const result = { content, structured: { a: [1, null, true, { 'b c': 'é' }] }, isError: false };
    expect(sanitizeResult(result)).toEqual(result);
  });

  it('drop an extra member that is nested too deeply, and name it', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    const part: ContentPart = { type: 'text', text: 'a', _meta: deep, annotations: { priority: 1 } };
    expect(sanitizePart(part)).toEqual({
      type: 'text',
      text: 'a',
      annotations: { priority: 1 },
      _meta: { 'toolgate/left_out': ['_meta'] },
    });
  });
});
