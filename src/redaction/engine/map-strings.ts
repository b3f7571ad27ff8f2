import type { Steps } from '../../base/async/cooperative.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { formatMarker } from '../rule.ts';
import { addCount, type RuleCounts } from './counts.ts';

/** Maps each string of a structured value. `name` is the member that holds the string, directly or in an array. */
export interface StringMapper {
  /** Fast path: whether it is certain that the string stays unchanged, as most do. `map` costs several times as much. */
  isUnchanged(text: string, name: string | undefined): boolean;
  map(text: string, name: string | undefined): Steps<string>;
  readonly found: RuleCounts;
}

// Deeper than any reader needs, and shallow enough for JSON.stringify, which recurses.
const MAX_DEPTH = 512;
const TOO_DEEP = 'too-deep';
/** Work between two yields to the event loop, in characters; each member costs some beside its text. */
const STEP_COST = 65_536;
const MEMBER_COST = 32;

/** Maps the strings of a value and keeps names and numbers. Returns the same value where no string changes. */
export function mapStrings(value: unknown, mapper: StringMapper): Steps<unknown> {
  return mapValue(value, { mapper, cost: 0 }, { name: undefined, depth: 0 });
}

interface Progress {
  readonly mapper: StringMapper;
  /** Since the last yield. */
  cost: number;
}

interface Position {
  readonly name: string | undefined;
  readonly depth: number;
}

function* mapValue(value: unknown, progress: Progress, position: Position): Steps<unknown> {
  progress.cost += MEMBER_COST + (typeof value === 'string' ? value.length : 0);
  if (progress.cost >= STEP_COST) {
    progress.cost = 0;
    yield;
  }
  const { mapper } = progress;
  if (typeof value === 'string') {
    return mapper.isUnchanged(value, position.name) ? value : yield* mapper.map(value, position.name);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (position.depth >= MAX_DEPTH) {
    addCount(mapper.found, TOO_DEEP);
    return formatMarker(TOO_DEEP);
  }
  return Array.isArray(value)
    ? yield* mapItems(value, progress, position)
    : yield* mapMembers(value, progress, position.depth);
}

function* mapItems(
  items: readonly unknown[],
  progress: Progress,
  { name, depth }: Position,
): Steps<readonly unknown[]> {
  const mapped: unknown[] = [];
  for (const item of items) mapped.push(yield* mapValue(item, progress, { name, depth: depth + 1 }));
  return mapped.some((item, i) => item !== items[i]) ? mapped : items;
}

function* mapMembers(object: object, progress: Progress, depth: number): Steps<object> {
  const pairName = readPairName(object);
  const keys = Object.keys(object);
  const changed = new Map<string, unknown>();
  for (const key of keys) {
    const before: unknown = object[key as keyof typeof object];
    const name = /^value$/i.test(key) ? (pairName ?? key) : key;
    const after = yield* mapValue(before, progress, { name, depth: depth + 1 });
    if (after !== before) changed.set(key, after);
  }
  if (changed.size === 0) return object;
  return Object.fromEntries(
    keys.map((key) => [key, changed.has(key) ? changed.get(key) : object[key as keyof typeof object]]),
  );
}

/** Reads the name in `{ "name": "API_KEY", "value": "…" }`, a common form of headers and environment variables. */
function readPairName(object: object): string | undefined {
  if (!isJsonObject(object)) return undefined;
  return [object.name, object.key, object.Name, object.Key].find((name) => typeof name === 'string');
}
