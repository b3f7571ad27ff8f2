import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { latestOf } from '../../catalog/versions.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { wordsOf } from '../ranking/words.ts';
import { type Cluster, clusterTools } from './clusters.ts';
import { segmentOf } from './path.ts';

/** A node with more children than this has groups: a model reads the listing, at about fifty tokens a line. */
export const MAX_CHILDREN = 24;
/** A token is at least one character, so the card of a node with a path of this length always fits its budget. */
const MAX_NODE_PATH = 72;
const OTHER_GROUP = 'other';

/** A namespace, or a group inside one. */
export interface TreeNode {
  readonly path: string;
  readonly namespace: string;
  /** All tools below this node, sorted by id. */
  readonly tools: readonly ToolContract[];
  readonly children: readonly TreeNode[];
  /** The tools directly in this node, sorted by id; all others are in `children`. */
  readonly leaves: readonly ToolContract[];
}

const treeCache = new WeakMap<
  CatalogSnapshot,
  { tools: readonly ToolContract[]; children: readonly TreeNode[] }
>();

/** The tree as a caller may see it. Most callers see the same tools, so the last tree is cached with its snapshot. */
export function treeOf(
  snapshot: CatalogSnapshot,
  maySee: (contract: ToolContract) => boolean,
): readonly TreeNode[] {
  const tools = snapshot.contracts.filter(maySee);
  const cached = treeCache.get(snapshot);
  if (cached?.tools.length === tools.length && cached.tools.every((tool, i) => tool === tools[i])) {
    return cached.children;
  }
  const children = nodesOf(tools);
  treeCache.set(snapshot, { tools, children });
  return children;
}

/** Builds the tree: namespaces at the root, groups where a namespace has many tools, then tools. */
export function nodesOf(tools: readonly ToolContract[]): readonly TreeNode[] {
  return sortedGroups(tools, (tool) => tool.namespace).map(([namespace, members]) =>
    buildNode(`/${namespace}`, members, new Set(wordsOf(namespace))),
  );
}

const segmentCache = new WeakMap<ToolContract, string>();

/** Uses the upstream's own name: two repaired names may be equal, and upstream names never are. */
export function segmentFor(tool: ToolContract): string {
  let segment = segmentCache.get(tool);
  if (segment === undefined) {
    segment = segmentOf(tool.upstreamName);
    segmentCache.set(tool, segment);
  }
  return segment;
}

function buildNode(path: string, tools: readonly ToolContract[], pathWords: ReadonlySet<string>): TreeNode {
  const namespace = tools[0]!.namespace;
  if (tools.length <= MAX_CHILDREN) return { path, namespace, tools, children: [], leaves: tools };
  const taken = new Set(tools.map(segmentFor));
  const children: TreeNode[] = [];
  const grouped = new Set<ToolContract>();
  for (const { label, words, members } of groupTools(tools, pathWords)) {
    const segment = uniqueSegment(label, taken);
    taken.add(segment);
    const childPath = `${path}/${segment}`;
    if (childPath.length > MAX_NODE_PATH) continue;
    children.push(buildNode(childPath, members, new Set([...pathWords, ...words])));
    for (const member of members) grouped.add(member);
  }
  return { path, namespace, tools, children, leaves: tools.filter((tool) => !grouped.has(tool)) };
}

/**
 * Groups tools by cluster. Where there are too many clusters, the largest stay and the rest share one group; where the
 * largest hold less than half of the tools, groups are made by first letters.
 */
function groupTools(tools: readonly ToolContract[], pathWords: ReadonlySet<string>): Cluster[] {
  const clusters = clusterTools(tools, pathWords);
  const unclustered = tools.length - countMembers(clusters);
  if (clusters.length + unclustered <= MAX_CHILDREN) return clusters;
  const largest = clusters.toSorted((a, b) => b.members.length - a.members.length).slice(0, MAX_CHILDREN - 1);
  if (countMembers(largest) < tools.length / 2) return groupByInitials(tools, clusters);
  const grouped = new Set(largest.flatMap(({ members }) => members));
  const others = tools.filter((tool) => !grouped.has(tool));
  return [
    ...clusters.filter((cluster) => largest.includes(cluster)),
    { label: OTHER_GROUP, words: [], members: others },
  ];
}

function countMembers(clusters: readonly Cluster[]): number {
  return clusters.reduce((sum, { members }) => sum + members.length, 0);
}

function groupByInitials(tools: readonly ToolContract[], clusters: readonly Cluster[]): Cluster[] {
  const labels = new Map(clusters.flatMap(({ label, members }) => members.map((tool) => [tool, label])));
  const wordOf = (tool: ToolContract): string => labels.get(tool) ?? segmentFor(tool);
  const words = [...new Set(tools.map(wordOf))];
  if (words.length === 1) return [];
  const length = distinguishingLength(words);
  return sortedGroups(tools, (tool) => wordOf(tool).slice(0, length))
    .filter(([, members]) => members.length > 1)
    .map(([label, members]) => ({ label, words: [], members }));
}

/** The shortest prefix length at which not all words are equal. */
function distinguishingLength(words: readonly string[]): number {
  let length = 1;
  while (new Set(words.map((word) => word.slice(0, length))).size === 1) length++;
  return length;
}

/** A group must not take the path of a tool. */
function uniqueSegment(label: string, taken: ReadonlySet<string>): string {
  let segment = segmentOf(label);
  while (taken.has(segment)) segment = segmentOf(`${segment}-group`);
  return segment;
}

/** The node or the tool at a path. A tool is found by its name under any node that contains it. */
export function findByPath(
  children: readonly TreeNode[],
  path: readonly string[],
): { readonly node: TreeNode } | { readonly tool: ToolContract } | undefined {
  const [first, ...rest] = path;
  let node = children.find((root) => root.path === `/${first}`);
  while (node && rest.length > 0) {
    const segment = rest.shift()!;
    const next: TreeNode | undefined = node.children.find(
      (child) => child.path === `${node!.path}/${segment}`,
    );
    if (!next) {
      const sameName = node.tools.filter((tool) => segmentFor(tool) === segment);
      const tool = rest.length === 0 ? latestOf(sameName) : undefined;
      return tool && { tool };
    }
    node = next;
  }
  return node && { node };
}

function sortedGroups<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const byKey = Map.groupBy(items, keyOf);
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
}
