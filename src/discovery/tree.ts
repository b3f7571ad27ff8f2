import { latestOf } from '../catalog/versions.ts';
import type { ToolContract } from '../contract/tool.ts';
import { segmentOf } from './path.ts';
import { wordsOf } from './words.ts';

/** More children than this are gathered under their first words. */
const MAX_CHILDREN = 40;

export interface Place {
  readonly path: string;
  readonly namespace: string;
  /** Every tool below, in the order of ids. */
  readonly tools: readonly ToolContract[];
  readonly places: readonly Place[];
  /** The tools that stand here directly; the others are in `places`. */
  readonly leaves: readonly ToolContract[];
}

/** The tree of what can be walked: namespaces at the root, then clusters where there are many, then tools. */
export function placesOf(tools: readonly ToolContract[]): readonly Place[] {
  return groups(tools, (tool) => tool.namespace).map(([namespace, members]) =>
    placeAt(`/${namespace}`, members, 0),
  );
}

function placeAt(path: string, tools: readonly ToolContract[], level: number): Place {
  const namespace = tools[0]!.namespace;
  if (tools.length <= MAX_CHILDREN) return { path, namespace, tools, places: [], leaves: tools };
  const clusters = groups(tools, (tool) => wordsOf(tool.name)[level] ?? '');
  const names = new Set(tools.map((tool) => segmentOf(tool.name)));
  const places: Place[] = [];
  const leaves: ToolContract[] = [];
  for (const [word, members] of clusters) {
    // One of a kind needs no drawer, and what has no further word cannot be told apart by one.
    if (members.length === 1 || word === '') leaves.push(...members);
    else {
      const label = segmentOf(word);
      places.push(placeAt(`${path}/${names.has(label) ? `${label}-group` : label}`, members, level + 1));
    }
  }
  return { path, namespace, tools, places, leaves };
}

/** What is at a path: a place, a tool, or nothing. A tool is found by its name under any place that holds it. */
export function find(
  places: readonly Place[],
  segments: readonly string[],
): { readonly place: Place } | { readonly tool: ToolContract } | undefined {
  const [first, ...rest] = segments;
  let place = places.find(({ path }) => path === `/${first}`);
  while (place && rest.length > 0) {
    const segment = rest.shift()!;
    const next: Place | undefined = place.places.find(({ path }) => path === `${place!.path}/${segment}`);
    if (!next) {
      const named = place.tools.filter((tool) => segmentOf(tool.name) === segment);
      const tool = rest.length === 0 ? latestOf(named) : undefined;
      return tool && { tool };
    }
    place = next;
  }
  return place && { place };
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    const group = byKey.get(keyOf(item));
    if (group) group.push(item);
    else byKey.set(keyOf(item), [item]);
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
}
