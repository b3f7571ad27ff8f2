import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../src/contract/errors/fault.ts';
import { type BrowseContext, browse } from '../src/discovery/browse.ts';
import { MAX_CHILDREN } from '../src/discovery/tree/tree.ts';
import { realisticTools, shelfOf } from './catalogs.ts';

/** As many tools over as many upstreams as a person would have them on. */
function shelfOfSize(count: number): BrowseContext {
  const tools = realisticTools(count);
  const upstreams = Math.ceil(Math.sqrt(count / 10));
  const byNamespace = Object.groupBy(tools, (_, i) => `server-${i % upstreams}`);
  return shelfOf(byNamespace as Record<string, typeof tools>, { rank: () => [] });
}

describe.each([1, 12, 45, 1_364, 10_000])('a catalog of %d tools, walked from the root', (count) => {
  const shelf = shelfOfSize(count);

  it('leads to every tool through cards alone', () => {
    const seen = new Set<string>();
    const ahead = ['/'];
    for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
      const { cards } = browse(shelf, { path });
      if (path !== '/') expect(cards.length).toBeLessThanOrEqual(MAX_CHILDREN);
      for (const { id, kind } of cards) {
        if (kind === 'internal') ahead.push(id);
        else seen.add(id);
      }
    }
    expect(seen.size).toBe(count);
    expect(shelf.snapshot.contracts.every(({ id }) => seen.has(id))).toBe(true);
  });

  it('has one card a namespace at the root, and a leaf under its name', () => {
    const namespaces = new Set(shelf.snapshot.contracts.map(({ namespace }) => namespace));
    expect(browse(shelf, { path: '/' }).cards.map(({ id }) => id)).toEqual(
      [...namespaces].sort().map((namespace) => `/${namespace}`),
    );
    const step = Math.ceil(count / 200);
    for (let i = 0; i < count; i += step) {
      const { namespace, id, upstreamName } = shelf.snapshot.contracts[i]!;
      if (!/^[a-z0-9_-]+$/.test(upstreamName)) continue;
      expect(browse(shelf, { path: `/${namespace}/${upstreamName}` }).cards.map((card) => card.id)).toEqual([
        id,
      ]);
    }
  });
});

it('answers every other path with one of two errors', () => {
  const shelf = shelfOfSize(1_364);
  const segment = fc.oneof(
    fc.constantFrom('server-0', 'issue', 'pull-request', '*', '', '..', 'other', 'create_issue', '__proto__'),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,70}$/),
  );
  const path = fc.oneof(
    fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
    fc.string({ maxLength: 600 }),
  );
  const refusals = new Set<string>();
  fc.assert(
    fc.property(path, (asked) => {
      try {
        const { cards } = browse(shelf, { path: asked });
        expect(cards.length).toBeGreaterThan(0);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Fault);
        const { code, variant } = thrown as Fault;
        refusals.add(`${code} ${variant}`);
      }
    }),
    { numRuns: 2_000 },
  );
  expect([...refusals].sort()).toEqual(['INVALID_INPUT path', 'TOOL_NOT_FOUND path']);
});
