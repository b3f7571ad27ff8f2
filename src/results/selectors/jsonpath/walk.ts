import type { CpuBudget } from '../../../base/cpu-budget.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { PathSelector, Place, Query, Segment, Walk } from './query.ts';

/** The path asks for more than one question may cost. */
export class TooMuchToVisit extends Error {
  override readonly name = 'TooMuchToVisit';
}

/** Says whether enough has been seen. */
type Visit = (place: Place) => boolean;

/** Every node that a query selects, in the order of RFC 9535. Nothing is gathered on the way: many nodes cost no memory. */
export function visitNodes(
  query: Query,
  document: unknown,
  { effort, visit }: { readonly effort: CpuBudget; readonly visit: (place: Place) => void },
): void {
  const walk: Walk = {
    root: document,
    pay: (units) => {
      if (!effort.spend(units)) throw new TooMuchToVisit();
    },
    follow: (inner, from, seen) => {
      stepFrom(inner.segments, 0, walk, seen)({ value: from, key: '', parent: undefined });
    },
  };
  walk.follow(query, document, (place) => {
    visit(place);
    return false;
  });
}

/** What is done at a node that the segments before have selected. */
function stepFrom(segments: readonly Segment[], at: number, walk: Walk, seen: Visit): Visit {
  const segment = segments[at];
  if (!segment) return seen;
  const next = stepFrom(segments, at + 1, walk, seen);
  const { selectors } = segment;
  const select: Visit = (place) => {
    for (const selector of selectors) if (visitSelected(selector, place, walk, next)) return true;
    return false;
  };
  return segment.descends ? (place) => descend(place, walk, select) : select;
}

/** The place and all below it, each before what it holds. What holds nothing has no children to select. */
function descend(place: Place, walk: Walk, select: Visit): boolean {
  const { value } = place;
  if (typeof value !== 'object' || value === null) return false;
  if (select(place)) return true;
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const length = keys ? keys.length : (value as readonly unknown[]).length;
  for (let index = 0; index < length; index++) {
    walk.pay(0.1);
    const key = keys ? keys[index]! : index;
    const child: unknown = value[key as keyof typeof value];
    // Most nodes are leaves, and a place for each of them would be most of the work.
    if (typeof child !== 'object' || child === null) continue;
    if (descend({ value: child, key, parent: place }, walk, select)) return true;
  }
  return false;
}

function visitSelected(selector: PathSelector, place: Place, walk: Walk, visit: Visit): boolean {
  walk.pay(0.1);
  const { value } = place;
  switch (selector.kind) {
    case 'name':
      if (!isJsonObject(value) || !Object.hasOwn(value, selector.name)) return false;
      return visit({ value: value[selector.name], key: selector.name, parent: place });
    case 'index': {
      if (!Array.isArray(value)) return false;
      const index = selector.index < 0 ? value.length + selector.index : selector.index;
      return index >= 0 && index < value.length && visit({ value: value[index], key: index, parent: place });
    }
    case 'slice':
      return Array.isArray(value) && visitSlice(selector, place, walk, visit);
    case 'all':
      return visitMembers(place, walk, visit);
    case 'filter':
      return visitMembers(place, walk, (child) => selector.test(child.value, walk) && visit(child));
  }
}

function visitMembers(place: Place, walk: Walk, visit: Visit): boolean {
  const { value } = place;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      walk.pay(0.1);
      if (visit({ value: value[index], key: index, parent: place })) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  for (const key of Object.keys(value)) {
    walk.pay(0.2);
    if (visit({ value: value[key], key, parent: place })) return true;
  }
  return false;
}

/** RFC 9535, section 2.3.4.2.2. */
function visitSlice(
  { start, stop, step }: Extract<PathSelector, { kind: 'slice' }>,
  place: Place,
  walk: Walk,
  visit: Visit,
): boolean {
  const list = place.value as readonly unknown[];
  const { length } = list;
  const [least, most] = step < 0 ? [-1, length - 1] : [0, length];
  const within = (index: number): number =>
    Math.min(Math.max(index < 0 ? length + index : index, least), most);
  const first = start === undefined ? (step < 0 ? length - 1 : 0) : within(start);
  const end = stop === undefined ? (step < 0 ? -1 : length) : within(stop);
  for (let index = first; step > 0 ? index < end : step < 0 && index > end; index += step) {
    walk.pay(0.1);
    if (visit({ value: list[index], key: index, parent: place })) return true;
  }
  return false;
}
