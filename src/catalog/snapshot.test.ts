import { describe, expect, it } from 'vitest';
import { admit } from './admit.ts';
import { DEFAULT_SCHEMA_LIMITS } from './schema/budget.ts';
import { CatalogSnapshot } from './snapshot.ts';

const snapshot = new CatalogSnapshot(1, [
  admit(
    'ns',
    [
      { name: 'search', version: '1.10.0', hints: {} },
      { name: 'search', version: '1.9.0', hints: {} },
      { name: 'search', version: '2.0.0-beta.1', hints: {} },
      { name: 'read.file', hints: {} },
      { name: '__proto__', version: '1', hints: {} },
      { name: 'remote', version: '1', inputSchema: { $ref: 'http://127.0.0.1:1/' }, hints: {} },
      { name: 'search', version: '1.9.0', hints: {} },
    ],
    {
      profile: 'personal',
      limits: DEFAULT_SCHEMA_LIMITS,
      onOversizedSchema: 'refuse',
      visibility: 'external',
    },
  ),
]);

describe('CatalogSnapshot', () => {
  it('sorts contracts by id', () => {
    const ids = snapshot.contracts.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
  });

  it('finds a tool by its canonical id', () => {
    expect(snapshot.get('tool', 'ns:search@1.9.0')!.version).toBe('1.9.0');
    expect(snapshot.resolve('tool', 'ns:search@1.9.0')).toBe(snapshot.get('tool', 'ns:search@1.9.0'));
  });

  it('holds several versions of a tool and resolves its path to the greatest', () => {
    expect(snapshot.versions('ns', 'search')).toHaveLength(3);
    expect(snapshot.resolve('tool', '/ns/search')!.version).toBe('2.0.0-beta.1');
    expect(snapshot.resolve('tool', 'ns:search')!.version).toBe('2.0.0-beta.1');
    expect(snapshot.resolve('tool', '/ns/read.file')!.name).toBe('read.file');
  });

  it.each([
    'ns:searc',
    'ns:search@9',
    '/ns',
    '/ns/',
    '/ns/other',
    '//search',
    '',
    '/',
    'toString',
    '__proto__',
    '/ns/toString',
    '/__proto__/constructor',
    '/ns/search\n',
  ])('finds nothing under %j', (reference) => {
    expect(snapshot.resolve('tool', reference)).toBeUndefined();
  });

  it('finds a tool with the name of an inherited member', () => {
    expect(snapshot.resolve('tool', '/ns/__proto__')!.upstreamName).toBe('__proto__');
    expect(snapshot.versions('ns', 'constructor')).toEqual([]);
  });

  it('returns the reason of a tool that was refused for its schema, and only of those', () => {
    expect(snapshot.refusal('ns:remote@1')).toMatch(/never fetched/);
    expect(snapshot.refusal('ns:search@1.9.0')).toBeUndefined();
    expect(snapshot.refusal('ns:nothing@1')).toBeUndefined();
  });
});
