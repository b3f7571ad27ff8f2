import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Offered, realisticTools, snapshotOf } from '../../../test/catalogs.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { find, nodesOf, segmentFor, type TreeNode, treeOf } from './tree.ts';

function placesIn(tools: readonly Offered[]): readonly TreeNode[] {
  return nodesOf(snapshotOf({ shop: tools }).contracts);
}

function everyPlace(places: readonly TreeNode[]): TreeNode[] {
  return places.flatMap((place) => [place, ...everyPlace(place.children)]);
}

function ids(tools: readonly ToolContract[]): string[] {
  return tools.map(({ id }) => id);
}

/** What must hold of any tree, whatever the tools are called. */
function expectSound(contracts: readonly ToolContract[]): void {
  const roots = nodesOf(contracts);
  const places = everyPlace(roots);
  expect(new Set(places.map(({ path }) => path)).size).toBe(places.length);
  const leaves = places.flatMap((place) => ids(place.leaves));
  expect(leaves.toSorted()).toEqual(ids(contracts).toSorted());
  for (const place of places) {
    expect(place.path.length).toBeLessThanOrEqual(72);
    expect(find(roots, place.path.slice(1).split('/'))).toEqual({ place });
    const below = [...place.leaves, ...place.children.flatMap(({ tools }) => tools)];
    expect(ids(below).toSorted()).toEqual(ids(place.tools).toSorted());
    expect(ids(place.leaves)).toEqual(ids(place.leaves).toSorted());
  }
  for (const tool of contracts) {
    const at = find(roots, [tool.namespace, segmentFor(tool)]);
    expect(at && 'tool' in at && at.tool.upstreamName).toBe(tool.upstreamName);
  }
}

describe('the tree', () => {
  it('has a place for each namespace, in order', () => {
    const { contracts } = snapshotOf({ b: [{ name: 'x' }], a: [{ name: 'y' }], c: [] });
    expect(nodesOf(contracts).map(({ path, namespace }) => [path, namespace])).toEqual([
      ['/a', 'a'],
      ['/b', 'b'],
    ]);
  });

  it('lists up to twenty-four tools flat', () => {
    const [shop] = placesIn(realisticTools(24));
    expect(shop!.children).toEqual([]);
    expect(shop!.leaves).toHaveLength(24);
  });

  it('gathers more under what they are about', () => {
    const [shop] = placesIn(realisticTools(45));
    expect(shop!.children.map(({ path, tools }) => [path, tools.length])).toEqual([
      ['/shop/branch', 5],
      ['/shop/comment', 5],
      ['/shop/file', 4],
      ['/shop/hook', 4],
      ['/shop/issue', 5],
      ['/shop/label', 5],
      ['/shop/pull-request', 5],
      ['/shop/release', 4],
      ['/shop/team', 4],
      ['/shop/user', 4],
    ]);
    expect(shop!.leaves).toEqual([]);
  });

  it('keeps the widest subjects and gathers the others in one drawer where there are too many', () => {
    const nouns = Array.from({ length: 40 }, (_, i) =>
      String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26)).repeat(2),
    );
    const tools = nouns.flatMap((noun, i) =>
      ['get', 'list', 'put', 'drop'].slice(0, i < 10 ? 4 : 2).map((verb) => ({ name: `${verb}_${noun}` })),
    );
    const [shop] = placesIn(tools);
    expect(shop!.children).toHaveLength(24);
    expect(shop!.children.at(-1)).toMatchObject({ path: '/shop/other' });
    for (const noun of nouns.slice(0, 10)) expect(find([shop!], ['shop', noun])).toMatchObject({ place: {} });
    expectSound(snapshotOf({ shop: tools }).contracts);
  });

  it('does not depend on the order of registration', () => {
    const tools = realisticTools(300);
    const paths = (offered: readonly Offered[]): string[] =>
      everyPlace(placesIn(offered)).map(({ path }) => path);
    expect(paths(tools.toReversed())).toEqual(paths(tools));
  });

  it('says no word of the way again', () => {
    const tools = Array.from({ length: 60 }, (_, i) => ({
      name: `shop_order_${['line', 'note', 'tax'][i % 3]}_${i}`,
    }));
    const [shop] = placesIn(tools);
    expect(shop!.children.map(({ path }) => path)).toEqual(['/shop/line', '/shop/note', '/shop/tax']);
  });

  it('lets one of a kind stand beside the drawers', () => {
    const [shop] = placesIn([...realisticTools(45), { name: 'zap' }]);
    expect(shop!.leaves.map(({ name }) => name)).toEqual(['zap']);
  });

  it('gathers words under their first letters where there are too many of them', () => {
    const tools = Array.from({ length: 1_500 }, (_, i) => ({ name: `x${String(i).padStart(4, '0')}_run` }));
    const places = everyPlace(placesIn(tools));
    for (const { children: drawers, leaves } of places)
      expect(drawers.length + leaves.length).toBeLessThanOrEqual(24);
    expectSound(snapshotOf({ shop: tools }).contracts);
  });

  it('never puts a drawer where the name of a tool leads', () => {
    const tools = [
      ...realisticTools(200),
      ...['create', 'create-group', 'create-group-group', 'issue', 'issue-group', 'list'].map((name) => ({
        name,
      })),
    ];
    expectSound(snapshotOf({ shop: tools }).contracts);
    const roots = placesIn(tools);
    expect(find(roots, ['shop', 'issue'])).toMatchObject({ tool: { name: 'issue' } });
    expect(find(roots, ['shop', 'issue-group-group'])).toMatchObject({ place: { namespace: 'shop' } });
  });

  it('makes no drawer whose path is too long to be shown', () => {
    const namespace = 'n'.repeat(60);
    const words = ['alphabetical', 'numerical', 'raw'];
    const tools = Array.from({ length: 60 }, (_, i) => ({ name: `${words[i % 3]}_x${i}` }));
    const { contracts } = snapshotOf({ [namespace]: tools });
    const [place] = nodesOf(contracts);
    expect(place!.children.map(({ path }) => path)).toEqual([`/${namespace}/numerical`, `/${namespace}/raw`]);
    expect(place!.leaves).toHaveLength(20);
    expectSound(contracts);
  });

  it('keeps names apart that became one by repair', () => {
    const tools = ['a b', 'a_b', 'a/b', 'A_b', 'ä_b', '数据', '数 据', '', ' '].map((name) => ({ name }));
    const { contracts } = snapshotOf({ shop: tools });
    expect(contracts).toHaveLength(8);
    expect(new Set(contracts.map(segmentFor)).size).toBe(8);
    expectSound(contracts);
  });

  it('leads from a name to its latest version', () => {
    const tools = ['1.2.0', '1.10.0', '1.9.0'].map((version) => ({ name: 'buy', version }));
    expect(find(placesIn(tools), ['shop', 'buy'])).toMatchObject({ tool: { version: '1.10.0' } });
  });

  it.each([
    ['nowhere'],
    ['shop', 'nothing'],
    ['shop', 'issue', 'nothing'],
    ['shop', 'zap', 'deeper'],
    ['shop', '*', 'zap'],
    ['issue'],
  ])('has nothing at %j', (...segments) => {
    expect(find(placesIn([...realisticTools(45), { name: 'zap' }]), segments)).toBeUndefined();
  });

  it('is kept with its snapshot for callers that see the same, and made anew for others', () => {
    const snapshot = snapshotOf({ mail: [{ name: 'send' }], shop: realisticTools(50) });
    const all = treeOf(snapshot, () => true);
    expect(treeOf(snapshot, () => true)).toBe(all);
    const some = treeOf(snapshot, ({ namespace }) => namespace === 'mail');
    expect(some.map(({ path }) => path)).toEqual(['/mail']);
    expect(treeOf(snapshot, () => true)).toEqual(all);
    expect(treeOf(snapshot, ({ name }) => name !== 'send').map(({ path }) => path)).toEqual(['/shop']);
  });

  it('is sound for any names', () => {
    const name = fc.oneof(
      fc.stringMatching(/^[a-z]{1,3}([_-][a-z]{1,3}){0,4}$/),
      fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constantFrom('create', 'create_a', 'create_b', 'create-group', 'create_group_a', 'get me', 'GetMe'),
    );
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 120 }),
        fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/),
        (names, namespace) => {
          expectSound(
            snapshotOf({ [namespace]: names.map((upstreamName) => ({ name: upstreamName })) }).contracts,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
