import type { Steps } from '../../base/async/cooperative.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { marker } from '../rule.ts';
import { type Counts, count } from './found.ts';

/** What becomes of each text of a structured value. */
export interface StringChange {
  /** Whether it is plain that a text stays as it is: most do, and all else costs several times as much. */
  isPlain(text: string, name: string | undefined): boolean;
  /** `name` is that of the member in which the text stands, itself or in a list. */
  text(text: string, name: string | undefined): Steps<string>;
  readonly found: Counts;
}

// Deeper than anybody reads or could write down again.
const MAX_DEPTH = 512;
const TOO_DEEP = 'too-deep';
/** How much is read before others have a turn: of each member its text, and some for itself. */
const READ_A_TURN = 65_536;
const READ_A_MEMBER = 32;

/** A structured value with its texts changed. Names and numbers stay, and it is the same value where no text changes. */
export function mapStrings(value: unknown, change: StringChange): Steps<unknown> {
  return member(value, { change, read: 0 }, { name: undefined, depth: 0 });
}

interface Work {
  readonly change: StringChange;
  read: number;
}

interface Where {
  readonly name: string | undefined;
  readonly depth: number;
}

function* member(value: unknown, work: Work, where: Where): Steps<unknown> {
  work.read += READ_A_MEMBER + (typeof value === 'string' ? value.length : 0);
  if (work.read >= READ_A_TURN) {
    work.read = 0;
    yield;
  }
  if (typeof value === 'string') {
    return work.change.isPlain(value, where.name) ? value : yield* work.change.text(value, where.name);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (where.depth >= MAX_DEPTH) {
    count(work.change.found, TOO_DEEP);
    return marker(TOO_DEEP);
  }
  return Array.isArray(value) ? yield* list(value, work, where) : yield* object(value, work, where.depth);
}

function* list(items: readonly unknown[], work: Work, { name, depth }: Where): Steps<readonly unknown[]> {
  const changed: unknown[] = [];
  for (const item of items) changed.push(yield* member(item, work, { name, depth: depth + 1 }));
  return changed.some((item, i) => item !== items[i]) ? changed : items;
}

function* object(holder: object, work: Work, depth: number): Steps<object> {
  const pairedName = pairOf(holder);
  const members: [string, unknown][] = [];
  let isChanged = false;
  for (const [key, before] of Object.entries(holder)) {
    const name = /^value$/i.test(key) ? (pairedName ?? key) : key;
    const after = yield* member(before, work, { name, depth: depth + 1 });
    isChanged ||= after !== before;
    members.push([key, after]);
  }
  return isChanged ? Object.fromEntries(members) : holder;
}

/** `{ "name": "API_KEY", "value": "…" }`, as lists of headers and variables are written. */
function pairOf(holder: object): string | undefined {
  if (!isJsonObject(holder)) return undefined;
  return [holder.name, holder.key, holder.Name, holder.Key].find((name) => typeof name === 'string');
}
