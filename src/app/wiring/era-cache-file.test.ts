import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { openEraCache } from './era-cache-file.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 24 * 3_600_000;
const LEGACY = { kind: 'legacy' } as const;
const MODERN = { kind: 'modern', discover: { supportedVersions: ['2026-07-28'] } } as never;

describe('openEraCache', () => {
  it('keeps entries across restarts', () => {
    const file = join(folderWith(), 'state', 'eras.json');
    openEraCache(file).remember('a', LEGACY);
    openEraCache(file).remember('b', MODERN);
    expect(openEraCache(file).recall('a')).toEqual(LEGACY);
    expect(openEraCache(file).recall('b')).toEqual(MODERN);
    expect(openEraCache(file).recall('c')).toBeUndefined();
    expect(readdirSync(join(file, '..'))).toEqual(['eras.json']);
  });

  it('removes an entry that is forgotten', () => {
    const file = join(folderWith(), 'eras.json');
    const eras = openEraCache(file);
    eras.remember('a', LEGACY);
    eras.forget('a');
    eras.forget('unknown key');
    expect(eras.recall('a')).toBeUndefined();
    expect(openEraCache(file).recall('a')).toBeUndefined();
  });

  it('expires an entry after a week, and does not rewrite an unchanged one', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 * DAY_MS });
    const file = join(folderWith(), 'eras.json');
    const eras = openEraCache(file);
    eras.remember('a', LEGACY);
    const written = readFileSync(file, 'utf8');
    vi.setSystemTime(1_000 * DAY_MS + 6 * DAY_MS);
    eras.remember('a', LEGACY);
    expect(readFileSync(file, 'utf8')).toBe(written);
    expect(eras.recall('a')).toEqual(LEGACY);
    vi.setSystemTime(1_000 * DAY_MS + 7 * DAY_MS);
    expect(eras.recall('a')).toBeUndefined();
    expect(openEraCache(file).recall('a')).toBeUndefined();
    eras.remember('a', LEGACY);
    expect(eras.recall('a')).toEqual(LEGACY);
    expect(readFileSync(file, 'utf8')).not.toBe(written);
  });

  it('stores a changed era at once, and ignores an entry dated in the future', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 * DAY_MS });
    const file = join(folderWith(), 'eras.json');
    const eras = openEraCache(file);
    eras.remember('a', LEGACY);
    eras.remember('a', MODERN);
    expect(openEraCache(file).recall('a')).toEqual(MODERN);
    vi.setSystemTime(999 * DAY_MS);
    expect(openEraCache(file).recall('a')).toBeUndefined();
  });

  it.each([
    'not json',
    '',
    'null',
    '[]',
    '7',
    '{"a":null}',
    '{"a":7}',
    '{"a":{"at":1}}',
    '{"a":{"at":"x","verdict":{"kind":"legacy"}}}',
    '{"a":{"at":99999999999999,"verdict":{"kind":"other"}}}',
    '{"a":{"at":1,"verdict":{"kind":"modern"}}}',
  ])('treats a file with invalid content as empty: %s', (text) => {
    const file = fileWith('eras.json', text);
    const eras = openEraCache(file);
    expect(eras.recall('a')).toBeUndefined();
    eras.remember('a', LEGACY);
    expect(openEraCache(file).recall('a')).toEqual(LEGACY);
  });

  it('works in memory when the file cannot be written', () => {
    const blocked = fileWith('state', '');
    const eras = openEraCache(join(blocked, 'eras.json'));
    eras.remember('a', LEGACY);
    expect(eras.recall('a')).toEqual(LEGACY);
    writeFileSync(blocked, '');
    expect(existsSync(join(blocked, 'eras.json'))).toBe(false);
  });
});
