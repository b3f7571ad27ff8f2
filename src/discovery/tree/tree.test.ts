import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realisticTools, snapshotOf, type ToolOffer } from '../../../test/catalogs.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { findByPath, nodesOf, segmentFor, type TreeNode, treeOf } from './tree.ts';

function treeFor(tools: readonly ToolOffer[]): readonly TreeNode[] {
  return nodesOf(snapshotOf({ shop: tools }).contracts);
}

function allNodes(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

function ids(tools: readonly ToolContract[]): string[] {
  return tools.map(({ id }) => id);
}

/** The invariants of a tree, for any tool names. */
function expectInvariants(contracts: readonly ToolContract[]): void {
  const roots = nodesOf(contracts);
  const nodes = allNodes(roots);
  expect(new Set(nodes.map(({ path }) => path)).size).toBe(nodes.length);
  const leaves = nodes.flatMap((node) => ids(node.leaves));
  expect(leaves.toSorted()).toEqual(ids(contracts).toSorted());
  for (const node of nodes) {
    expect(node.path.length).toBeLessThanOrEqual(72);
    expect(findByPath(roots, node.path.slice(1).split('/'))).toEqual({ node });
    const below = [...node.leaves, ...node.children.flatMap(({ tools }) => tools)];
    expect(ids(below).toSorted()).toEqual(ids(node.tools).toSorted());
    expect(ids(node.leaves)).toEqual(ids(node.leaves).toSorted());
  }
  for (const tool of contracts) {
    const found = findByPath(roots, [tool.namespace, segmentFor(tool)]);
    expect(found && 'tool' in found && found.tool.upstreamName).toBe(tool.upstreamName);
  }
}

describe('the browse tree', () => {
  it('has a node for each namespace, in order', () => {
    const { contracts } = snapshotOf({ b: [{ name: 'x' }], a: [{ name: 'y' }], c: [] });
    expect(nodesOf(contracts).map(({ path, namespace }) => [path, namespace])).toEqual([
      ['/a', 'a'],
      ['/b', 'b'],
    ]);
  });

  it('has no groups for up to 24 tools', () => {
    const [shop] = treeFor(realisticTools(24));
    expect(shop!.children).toEqual([]);
    expect(shop!.leaves).toHaveLength(24);
  });

  it('groups more tools by the words that they share', () => {
    const [shop] = treeFor(realisticTools(45));
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

  it('keeps the largest clusters and puts the rest into one group where there are too many', () => {
    const nouns = Array.from({ length: 40 }, (_, i) =>
      String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26)).repeat(2),
    );
    const tools = nouns.flatMap((noun, i) =>
      ['get', 'list', 'put', 'drop'].slice(0, i < 10 ? 4 : 2).map((verb) => ({ name: `${verb}_${noun}` })),
    );
    const [shop] = treeFor(tools);
    expect(shop!.children).toHaveLength(24);
    expect(shop!.children.at(-1)).toMatchObject({ path: '/shop/other' });
    for (const noun of nouns.slice(0, 10))
      expect(findByPath([shop!], ['shop', noun])).toMatchObject({ node: {} });
    expectInvariants(snapshotOf({ shop: tools }).contracts);
  });

  it('does not depend on the order of registration', () => {
    const tools = realisticTools(300);
    const paths = (offered: readonly ToolOffer[]): string[] =>
      allNodes(treeFor(offered)).map(({ path }) => path);
    expect(paths(tools.toReversed())).toEqual(paths(tools));
  });

  it('repeats no word of the path in a group label', () => {
    const tools = Array.from({ length: 60 }, (_, i) => ({
      name: `shop_order_${['line', 'note', 'tax'][i % 3]}_${i}`,
    }));
    const [shop] = treeFor(tools);
    expect(shop!.children.map(({ path }) => path)).toEqual(['/shop/line', '/shop/note', '/shop/tax']);
  });

  it('lists a tool that shares no word beside the groups', () => {
    const [shop] = treeFor([...realisticTools(45), { name: 'zap' }]);
    expect(shop!.leaves.map(({ name }) => name)).toEqual(['zap']);
  });

  it('groups by first letters where clusters cover less than half of the tools', () => {
    const tools = Array.from({ length: 1_500 }, (_, i) => ({ name: `x${String(i).padStart(4, '0')}_run` }));
    const nodes = allNodes(treeFor(tools));
    for (const { children, leaves } of nodes) expect(children.length + leaves.length).toBeLessThanOrEqual(24);
    expectInvariants(snapshotOf({ shop: tools }).contracts);
  });

  it('never gives a group the path of a tool', () => {
    const tools = [
      ...realisticTools(200),
      ...['create', 'create-group', 'create-group-group', 'issue', 'issue-group', 'list'].map((name) => ({
        name,
      })),
    ];
    expectInvariants(snapshotOf({ shop: tools }).contracts);
    const roots = treeFor(tools);
    expect(findByPath(roots, ['shop', 'issue'])).toMatchObject({ tool: { name: 'issue' } });
    expect(findByPath(roots, ['shop', 'issue-group-group'])).toMatchObject({ node: { namespace: 'shop' } });
  });

  it('makes no group whose path is too long for a card', () => {
    const namespace = 'n'.repeat(60);
    const words = ['alphabetical', 'numerical', 'raw'];
    const tools = Array.from({ length: 60 }, (_, i) => ({ name: `${words[i % 3]}_x${i}` }));
    const { contracts } = snapshotOf({ [namespace]: tools });
    const [node] = nodesOf(contracts);
    expect(node!.children.map(({ path }) => path)).toEqual([`/${namespace}/numerical`, `/${namespace}/raw`]);
    expect(node!.leaves).toHaveLength(20);
    expectInvariants(contracts);
  });

  it('gives tools different paths whose names are equal after repair', () => {
    const tools = ['a b', 'a_b', 'a/b', 'A_b', 'ä_b', '数据', '数 据', '', ' '].map((name) => ({ name }));
    const { contracts } = snapshotOf({ shop: tools });
    expect(contracts).toHaveLength(8);
    expect(new Set(contracts.map(segmentFor)).size).toBe(8);
    expectInvariants(contracts);
  });

  it('finds the latest version by name', () => {
    const tools = ['1.2.0', '1.10.0', '1.9.0'].map((version) => ({ name: 'buy', version }));
    expect(findByPath(treeFor(tools), ['shop', 'buy'])).toMatchObject({ tool: { version: '1.10.0' } });
  });

  it.each([
    ['nowhere'],
    ['shop', 'nothing'],
    ['shop', 'issue', 'nothing'],
    ['shop', 'zap', 'deeper'],
    ['shop', '*', 'zap'],
    ['issue'],
  ])('has nothing at %j', (...segments) => {
    expect(findByPath(treeFor([...realisticTools(45), { name: 'zap' }]), segments)).toBeUndefined();
  });

  it('is cached with its snapshot for callers that see the same tools, and rebuilt for others', () => {
    const snapshot = snapshotOf({ mail: [{ name: 'send' }], shop: realisticTools(50) });
    const all = treeOf(snapshot, () => true);
    expect(treeOf(snapshot, () => true)).toBe(all);
    const some = treeOf(snapshot, ({ namespace }) => namespace === 'mail');
    expect(some.map(({ path }) => path)).toEqual(['/mail']);
    expect(treeOf(snapshot, () => true)).toEqual(all);
    expect(treeOf(snapshot, ({ name }) => name !== 'send').map(({ path }) => path)).toEqual(['/shop']);
  });

  it('keeps its invariants for any names', () => {
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
          expectInvariants(
            snapshotOf({ [namespace]: names.map((upstreamName) => ({ name: upstreamName })) }).contracts,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
