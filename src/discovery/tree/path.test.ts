import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../contract/errors/fault.ts';
import { parsePath, segmentOf } from './path.ts';

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,63}$/;

describe('parsePath', () => {
  it.each([
    ['/', []],
    ['/*', []],
    ['/github', ['github']],
    ['/github/*', ['github']],
    ['/github/issues', ['github', 'issues']],
    ['/github/issues/create_issue', ['github', 'issues', 'create_issue']],
    ['/a/0-9_z', ['a', '0-9_z']],
    [`/${'a'.repeat(64)}`, ['a'.repeat(64)]],
    ['/github/*/x', ['github', '*', 'x']],
  ])('parses %s', (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
  });

  it.each([
    '',
    'github',
    '//',
    '//github',
    '/github/',
    '/github//issues',
    '/GitHub',
    '/0github',
    '/-github',
    '/github/-x',
    '/git hub',
    '/github\n',
    '/github/ä',
    '/github/..',
    '/github/**',
    `/${'a'.repeat(65)}`,
    `/a${'/a'.repeat(256)}`,
  ])('refuses %j as malformed', (path) => {
    expect(() => parsePath(path)).toThrow(Fault);
    expect(() => parsePath(path)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', variant: 'path' }),
    );
  });

  it('accepts exactly the paths of the grammar', () => {
    const segment = fc.oneof(
      fc.stringMatching(SEGMENT),
      fc.constantFrom('*', '', 'A', '..', ' '),
      fc.string({ maxLength: 5 }),
    );
    const path = fc.oneof(
      fc.string(),
      fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
    );
    fc.assert(
      fc.property(path, (text) => {
        const parts = text.slice(1).split('/');
        const isWellFormed =
          text === '/' ||
          (text.startsWith('/') &&
            text.length <= 512 &&
            parts.every((part, i) => part === '*' || (SEGMENT.test(part) && (i > 0 || /^[a-z]/.test(part)))));
        const expected = text === '/' ? [] : parts.at(-1) === '*' ? parts.slice(0, -1) : parts;
        if (isWellFormed) expect(parsePath(text)).toEqual(expected);
        else expect(() => parsePath(text)).toThrow(expect.objectContaining({ variant: 'path' }));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('segmentOf', () => {
  it.each(['echo', 'get-sum', 'a_b', '0x', 'a'.repeat(64)])('keeps %s, which the grammar allows', (name) => {
    expect(segmentOf(name)).toBe(name);
  });

  it('gives every other name a deterministic alias of the grammar', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const segment = segmentOf(name);
        expect(segment).toMatch(SEGMENT);
        expect(segmentOf(name)).toBe(segment);
        expect(segment === name).toBe(SEGMENT.test(name));
      }),
    );
  });

  it('gives similar names different segments', () => {
    const names = [
      'createIssue',
      'createissue',
      'CreateIssue',
      'create issue',
      'create-issue',
      'create.issue',
      'é',
      'è',
    ];
    expect(new Set(names.map(segmentOf)).size).toBe(names.length);
    expect(segmentOf('createIssue')).toBe('createissue-706a5e2e');
  });
});
