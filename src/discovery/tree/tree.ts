import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { latestOf } from '../../catalog/versions.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { wordsOf } from '../ranking/words.ts';
import { type Cluster, clusterTools } from './clusters.ts';
import { segmentOf } from './path.ts';

/** More children than this are gathered in drawers: a listing is read by a model, at some fifty tokens a line. */
export const MAX_CHILDREN = 24;
/** A token is at least one character, so the card of a place no longer than this always fits its budget. */
const MAX_NODE_PATH = 72;
const OTHERS = 'other';

export interface TreeNode {
  readonly path: string;
  readonly namespace: string;
  /** Every tool below, in the order of ids. */
  readonly tools: readonly ToolContract[];
  readonly children: readonly TreeNode[];
  /** The tools that stand here directly, in the order of ids; the others are in `children`. */
  readonly leaves: readonly ToolContract[];
}

const trees = new WeakMap<
  CatalogSnapshot,
  { tools: readonly ToolContract[]; children: readonly TreeNode[] }
>();

/** The tree as a caller may see it. Most callers see the same, so the last one is kept with its snapshot. */
export function treeOf(
  snapshot: CatalogSnapshot,
  maySee: (contract: ToolContract) => boolean,
): readonly TreeNode[] {
  const tools = snapshot.contracts.filter(maySee);
  const kept = trees.get(snapshot);
  if (kept?.tools.length === tools.length && kept.tools.every((tool, i) => tool === tools[i])) {
    return kept.children;
  }
  const children = nodesOf(tools);
  trees.set(snapshot, { tools, children });
  return children;
}

/** The tree of what can be walked: namespaces at the root, then clusters where there are many, then tools. */
export function nodesOf(tools: readonly ToolContract[]): readonly TreeNode[] {
  return groups(tools, (tool) => tool.namespace).map(([namespace, members]) =>
    nodeAt(`/${namespace}`, members, new Set(wordsOf(namespace))),
  );
}

const segments = new WeakMap<ToolContract, string>();

/** Two names may become one by repair; the upstream's own names stay apart. */
export function segmentFor(tool: ToolContract): string {
  let segment = segments.get(tool);
  if (segment === undefined) {
    segment = segmentOf(tool.upstreamName);
    segments.set(tool, segment);
  }
  return segment;
}

function nodeAt(path: string, tools: readonly ToolContract[], said: ReadonlySet<string>): TreeNode {
  const namespace = tools[0]!.namespace;
  if (tools.length <= MAX_CHILDREN) return { path, namespace, tools, children: [], leaves: tools };
  const taken = new Set(tools.map(segmentFor));
  const children: TreeNode[] = [];
  const gathered = new Set<ToolContract>();
  for (const { label, words, members } of groupsOf(tools, said)) {
    const segment = freeLabel(label, taken);
    taken.add(segment);
    const below = `${path}/${segment}`;
    if (below.length > MAX_NODE_PATH) continue;
    children.push(nodeAt(below, members, new Set([...said, ...words])));
    for (const member of members) gathered.add(member);
  }
  return { path, namespace, tools, children, leaves: tools.filter((tool) => !gathered.has(tool)) };
}

/**
 * By what they are about. Where that gives too many drawers the widest stay and the others share one; where even those
 * hold too few, first letters must do.
 */
function groupsOf(tools: readonly ToolContract[], said: ReadonlySet<string>): Cluster[] {
  const subjects = clusterTools(tools, said);
  const beside = tools.length - sizeOf(subjects);
  if (subjects.length + beside <= MAX_CHILDREN) return subjects;
  const widest = subjects.toSorted((a, b) => b.members.length - a.members.length).slice(0, MAX_CHILDREN - 1);
  if (sizeOf(widest) < tools.length / 2) return byInitials(tools, subjects);
  const gathered = new Set(widest.flatMap(({ members }) => members));
  const others = tools.filter((tool) => !gathered.has(tool));
  return [
    ...subjects.filter((subject) => widest.includes(subject)),
    { label: OTHERS, words: [], members: others },
  ];
}

function sizeOf(subjects: readonly Cluster[]): number {
  return subjects.reduce((sum, { members }) => sum + members.length, 0);
}

function byInitials(tools: readonly ToolContract[], subjects: readonly Cluster[]): Cluster[] {
  const labels = new Map(subjects.flatMap(({ label, members }) => members.map((tool) => [tool, label])));
  const wordOf = (tool: ToolContract): string => labels.get(tool) ?? segmentFor(tool);
  const words = [...new Set(tools.map(wordOf))];
  if (words.length === 1) return [];
  const length = lengthThatDivides(words);
  return groups(tools, (tool) => wordOf(tool).slice(0, length))
    .filter(([, members]) => members.length > 1)
    .map(([label, members]) => ({ label, words: [], members }));
}

/** How many first letters it takes until the words are not all alike. */
function lengthThatDivides(words: readonly string[]): number {
  let length = 1;
  while (new Set(words.map((word) => word.slice(0, length))).size === 1) length++;
  return length;
}

/** A drawer must not stand where a tool's own name leads. */
function freeLabel(word: string, taken: ReadonlySet<string>): string {
  let label = segmentOf(word);
  while (taken.has(label)) label = segmentOf(`${label}-group`);
  return label;
}

/** What is at a path: a place, a tool, or nothing. A tool is found by its name under any place that holds it. */
export function find(
  children: readonly TreeNode[],
  path: readonly string[],
): { readonly place: TreeNode } | { readonly tool: ToolContract } | undefined {
  const [first, ...rest] = path;
  let place = children.find((root) => root.path === `/${first}`);
  while (place && rest.length > 0) {
    const segment = rest.shift()!;
    const next: TreeNode | undefined = place.children.find(
      (child) => child.path === `${place!.path}/${segment}`,
    );
    if (!next) {
      const named = place.tools.filter((tool) => segmentFor(tool) === segment);
      const tool = rest.length === 0 ? latestOf(named) : undefined;
      return tool && { tool };
    }
    place = next;
  }
  return place && { place };
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const byKey = Map.groupBy(items, keyOf);
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
}
