import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatPrimitiveId,
  type PrimitiveIdParts,
  parsePrimitiveId,
  promptShapeHash,
  resolveCollisions,
  resourceShapeHash,
} from './primitive-id.ts';
import { CatalogError, isToolId, toolShapeHash } from './tool-id.ts';

const validParts: fc.Arbitrary<PrimitiveIdParts> = fc.record(
  {
    kind: fc.constantFrom('tool', 'resource', 'prompt'),
    namespace: fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/),
    name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/),
    hash8: fc.stringMatching(/^[0-9a-f]{8}$/),
  },
  { noNullPrototype: true },
);

describe('parsePrimitiveId and formatPrimitiveId', () => {
  it.each<[string, PrimitiveIdParts]>([
    ['search:query@2', { kind: 'tool', namespace: 'search', name: 'query', version: '2' }],
    [
      'resource::fs:readme#ab12cd34',
      { kind: 'resource', namespace: 'fs', name: 'readme', hash8: 'ab12cd34' },
    ],
    [
      'prompt::gh:summarize#deadbeef',
      { kind: 'prompt', namespace: 'gh', name: 'summarize', hash8: 'deadbeef' },
    ],
  ])('parse and format %s', (id, parts) => {
    expect(parsePrimitiveId(id)).toStrictEqual(parts);
    expect(formatPrimitiveId(parts)).toBe(id);
  });

  it('are inverse on every valid id, and only a tool has a tool id', () => {
    fc.assert(
      fc.property(validParts, (parts) => {
        const id = formatPrimitiveId(parts);
        expect(parsePrimitiveId(id)).toStrictEqual(parts);
        expect(isToolId(id)).toBe(parts.kind === 'tool');
      }),
    );
  });

  it('give one name a different id for each kind', () => {
    const ids = (['tool', 'resource', 'prompt'] as const).map((kind) =>
      formatPrimitiveId({ kind, namespace: 'gh', name: 'search', hash8: 'deadbeef' }),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    '',
    '::',
    'tool::mcp:read#deadbeef',
    'Resource::fs:readme#ab12cd34',
    'sampling::fs:readme#ab12cd34',
    '::fs:readme#ab12cd34',
    'resource:: fs:readme',
    'resource::',
    'resource::readme',
    'resource:fs:readme',
    'resource::resource::fs:readme',
    'resource::fs:readme#ab12cd34\n',
    'resource::fs:readme#ab12cd34~2',
    'prompt::gh:summarize@1@2',
  ])('refuse %j', (text) => {
    expect(() => parsePrimitiveId(text)).toThrow(CatalogError);
  });

  it('refuse to format parts that would parse differently', () => {
    const parts: PrimitiveIdParts = { kind: 'prompt', namespace: 'gh', name: 'summarize#deadbeef' };
    expect(() => formatPrimitiveId(parts)).toThrow(CatalogError);
  });
});

describe('shape hashes', () => {
  it('cover the address of a resource', () => {
    expect(resourceShapeHash('file:///docs/readme.md')).toBe('a8c506b1');
  });

  // Expected values come from the Python reference implementation.
  it.each([
    ['summarize_pr', ['repo'], 'a85c17c1'],
    ['summarize', ['a', 'b'], '79a7d231'],
    ['summarize', ['b', 'a'], '79a7d231'],
    ['traduire', ['ﬁn', 'été', '😀', 'ﬀ'], '356e04f4'],
    ['x', [], '015a4fb6'],
  ])('hash the prompt %s with arguments %j to %s', (name, argumentNames, expected) => {
    expect(promptShapeHash(name, argumentNames)).toBe(expected);
  });

  it('do not modify the argument names', () => {
    const argumentNames = ['b', 'a'];
    promptShapeHash('summarize', argumentNames);
    expect(argumentNames).toEqual(['b', 'a']);
  });

  it('differ between kinds', () => {
    const hashes = [resourceShapeHash('search'), promptShapeHash('search', []), toolShapeHash('search', {})];
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('resolveCollisions', () => {
  it('keeps the first of equal ids and numbers the later ones in order', () => {
    expect(resolveCollisions(['a', 'b', 'a', 'a', 'b', 'c'])).toEqual(['a', 'b', 'a~2', 'a~3', 'b~2', 'c']);
    expect(resolveCollisions([])).toEqual([]);
  });

  it('gives every id a unique key', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('mcp:a#00000000', 'mcp:b@1', 'prompt::mcp:a@1')), (ids) => {
        const keys = resolveCollisions(ids);
        expect(new Set(keys).size).toBe(ids.length);
        expect(keys.map((key) => key.replace(/~\d+$/, ''))).toEqual(ids);
      }),
    );
  });

  it('makes keys that are not valid ids', () => {
    const [, second] = resolveCollisions(['mcp:read@1', 'mcp:read@1']);
    expect(() => parsePrimitiveId(second!)).toThrow(CatalogError);
  });
});
