import { isJsonObject } from '../../contract/json.ts';
import { addFound, type Found, NONE_FOUND, redact } from './redact.ts';
import { marker } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

export interface RedactedValue {
  readonly value: unknown;
  readonly found: Found;
}

// Deeper than anybody reads or could write down again.
const MAX_DEPTH = 512;
const TOO_DEEP = 'too-deep';

/** A structured value without its secrets. Names and numbers stay, and it is the same value where it holds none. */
export function redactJson(value: unknown, rules: RuleSet): RedactedValue {
  const work: Work = { rules, found: NONE_FOUND };
  return { value: redactedMember(value, work, { name: undefined, depth: 0 }), found: work.found };
}

interface Work {
  readonly rules: RuleSet;
  found: Found;
}

interface Where {
  /** Under which the value stands, itself or in a list. */
  readonly name: string | undefined;
  readonly depth: number;
}

function redactedMember(value: unknown, work: Work, where: Where): unknown {
  if (typeof value === 'string') {
    const { text, found } = redact(value, work.rules, where.name);
    work.found = addFound(work.found, found);
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (where.depth >= MAX_DEPTH) {
    work.found = addFound(work.found, { [TOO_DEEP]: 1 });
    return marker(TOO_DEEP);
  }
  return Array.isArray(value) ? redactedList(value, work, where) : redactedObject(value, work, where);
}

function redactedList(list: readonly unknown[], work: Work, { name, depth }: Where): readonly unknown[] {
  const redacted = list.map((item) => redactedMember(item, work, { name, depth: depth + 1 }));
  return redacted.some((item, i) => item !== list[i]) ? redacted : list;
}

function redactedObject(holder: object, work: Work, { depth }: Where): object {
  const pairedName = pairOf(holder);
  let changed = false;
  const members = Object.entries(holder).map(([key, member]): [string, unknown] => {
    const name = /^value$/i.test(key) ? (pairedName ?? key) : key;
    const redacted = redactedMember(member, work, { name, depth: depth + 1 });
    changed ||= redacted !== member;
    return [key, redacted];
  });
  return changed ? Object.fromEntries(members) : holder;
}

/** `{ "name": "API_KEY", "value": "…" }`, as lists of headers and variables are written. */
function pairOf(holder: object): string | undefined {
  if (!isJsonObject(holder)) return undefined;
  return [holder.name, holder.key, holder.Name, holder.Key].find((name) => typeof name === 'string');
}
