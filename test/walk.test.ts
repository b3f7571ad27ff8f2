import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../src/contract/errors/fault.ts';
import { type BrowseContext, browse } from '../src/discovery/browse.ts';
import { MAX_CHILDREN } from '../src/discovery/tree/tree.ts';
import { browseContextOf, realisticTools } from './catalogs.ts';

/** Spreads the tools over a realistic number of upstreams. */
function contextOfSize(count: number): BrowseContext {
  const tools = realisticTools(count);
  const upstreams = Math.ceil(Math.sqrt(count / 10));
  const byNamespace = Object.groupBy(tools, (_, i) => `server-${i % upstreams}`);
  return browseContextOf(byNamespace as Record<string, typeof tools>, { rank: () => [] });
}

describe.each([1, 12, 45, 1_364, 10_000])('browsing a catalog of %d tools from "/"', (count) => {
  const context = contextOfSize(count);

  it('reaches every tool by following cards', () => {
    const reached = new Set<string>();
    const pending = ['/'];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const { cards } = browse(context, { path });
      if (path !== '/') expect(cards.length).toBeLessThanOrEqual(MAX_CHILDREN);
      for (const { id, kind } of cards) {
        if (kind === 'internal') pending.push(id);
        else reached.add(id);
      }
    }
    expect(reached.size).toBe(count);
    expect(context.snapshot.contracts.every(({ id }) => reached.has(id))).toBe(true);
  });

  it('lists one card per namespace at "/", and finds each tool by its name', () => {
    const namespaces = new Set(context.snapshot.contracts.map(({ namespace }) => namespace));
    expect(browse(context, { path: '/' }).cards.map(({ id }) => id)).toEqual(
      [...namespaces].sort().map((namespace) => `/${namespace}`),
    );
    const step = Math.ceil(count / 200);
    for (let i = 0; i < count; i += step) {
      const { namespace, id, upstreamName } = context.snapshot.contracts[i]!;
      if (!/^[a-z0-9_-]+$/.test(upstreamName)) continue;
      expect(browse(context, { path: `/${namespace}/${upstreamName}` }).cards.map((card) => card.id)).toEqual(
        [id],
      );
    }
  });
});

it('fails for other paths only as malformed or as not found', () => {
  const context = contextOfSize(1_364);
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
    fc.property(path, (text) => {
      try {
        const { cards } = browse(context, { path: text });
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
