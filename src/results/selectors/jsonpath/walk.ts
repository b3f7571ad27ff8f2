import type { CpuBudget } from '../../../base/cpu-budget.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { PathNode, PathSelector, Query, Segment, Walk } from './query.ts';

/** Thrown when a path takes more CPU time than one view may. */
export class VisitLimitExceeded extends Error {
  override readonly name = 'VisitLimitExceeded';
}

/** Returns true to end the walk. */
type Visit = (node: PathNode) => boolean;

/** Visits every node that a query selects, in the order of RFC 9535. Collects nothing, so many nodes cost no memory. */
export function visitNodes(
  query: Query,
  document: unknown,
  { budget, visit }: { readonly budget: CpuBudget; readonly visit: (node: PathNode) => void },
): void {
  const walk: Walk = {
    root: document,
    spend: (units) => {
      if (!budget.spend(units)) throw new VisitLimitExceeded();
    },
    follow: (inner, from, visitInner) => {
      compileStep(inner.segments, 0, walk, visitInner)({ value: from, key: '', parent: undefined });
    },
  };
  walk.follow(query, document, (node) => {
    visit(node);
    return false;
  });
}

/** Builds the visitor for a node that the segments before `at` selected. */
function compileStep(segments: readonly Segment[], at: number, walk: Walk, visit: Visit): Visit {
  const segment = segments[at];
  if (!segment) return visit;
  const next = compileStep(segments, at + 1, walk, visit);
  const { selectors } = segment;
  const select: Visit = (node) => {
    for (const selector of selectors) if (visitSelected(selector, node, walk, next)) return true;
    return false;
  };
  return segment.descends ? (node) => descend(node, walk, select) : select;
}

/** Visits a node and its descendants, parents first. A leaf has no children to select. */
function descend(node: PathNode, walk: Walk, select: Visit): boolean {
  const { value } = node;
  if (typeof value !== 'object' || value === null) return false;
  if (select(node)) return true;
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const length = keys ? keys.length : (value as readonly unknown[]).length;
  for (let index = 0; index < length; index++) {
    walk.spend(0.1);
    const key = keys ? keys[index]! : index;
    const child: unknown = value[key as keyof typeof value];
    // Most nodes are leaves. Creating a node object for each of them would be most of the work.
    if (typeof child !== 'object' || child === null) continue;
    if (descend({ value: child, key, parent: node }, walk, select)) return true;
  }
  return false;
}

function visitSelected(selector: PathSelector, node: PathNode, walk: Walk, visit: Visit): boolean {
  walk.spend(0.1);
  const { value } = node;
  switch (selector.kind) {
    case 'name':
      if (!isJsonObject(value) || !Object.hasOwn(value, selector.name)) return false;
      return visit({ value: value[selector.name], key: selector.name, parent: node });
    case 'index': {
      if (!Array.isArray(value)) return false;
      const index = selector.index < 0 ? value.length + selector.index : selector.index;
      return index >= 0 && index < value.length && visit({ value: value[index], key: index, parent: node });
    }
    case 'slice':
      return Array.isArray(value) && visitSlice(selector, node, walk, visit);
    case 'all':
      return visitMembers(node, walk, visit);
    case 'filter':
      return visitMembers(node, walk, (child) => selector.test(child.value, walk) && visit(child));
  }
}

function visitMembers(node: PathNode, walk: Walk, visit: Visit): boolean {
  const { value } = node;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      walk.spend(0.1);
      if (visit({ value: value[index], key: index, parent: node })) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  for (const key of Object.keys(value)) {
    walk.spend(0.2);
    if (visit({ value: value[key], key, parent: node })) return true;
  }
  return false;
}

/** RFC 9535, section 2.3.4.2.2. */
function visitSlice(
  { start, stop, step }: Extract<PathSelector, { kind: 'slice' }>,
  node: PathNode,
  walk: Walk,
  visit: Visit,
): boolean {
  const list = node.value as readonly unknown[];
  const { length } = list;
  const [min, max] = step < 0 ? [-1, length - 1] : [0, length];
  const clamp = (index: number): number => Math.min(Math.max(index < 0 ? length + index : index, min), max);
  const first = start === undefined ? (step < 0 ? length - 1 : 0) : clamp(start);
  const end = stop === undefined ? (step < 0 ? -1 : length) : clamp(stop);
  for (let index = first; step > 0 ? index < end : step < 0 && index > end; index += step) {
    walk.spend(0.1);
    if (visit({ value: list[index], key: index, parent: node })) return true;
  }
  return false;
}
