import type { Steps } from '../../base/async/cooperative.ts';
import { formatMarker } from '../rule.ts';
import { isGenerated } from '../rules/named-secret/secret-value.ts';
import { addCount, type RuleCounts } from './counts.ts';

/** Maps each string of a structured value. `name` is the member that holds the string, directly or in an array. */
export interface StringMapper {
  isSecretName(name: string): boolean;
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
    : yield* mapMembers(value, progress, position);
}

function* mapItems(
  items: readonly unknown[],
  progress: Progress,
  { name, depth }: Position,
): Steps<readonly unknown[]> {
  const mapped: unknown[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const named = i % 2 === 1 ? readListName(items[i - 1], item, progress.mapper) : undefined;
    mapped.push(yield* mapValue(item, progress, { name: named ?? name, depth: depth + 1 }));
  }
  return mapped.some((item, i) => item !== items[i]) ? mapped : items;
}

/** Reads the name in `["password", "…"]` and in lists of headers. A list of names is more frequent than a pair. */
function readListName(before: unknown, value: unknown, mapper: StringMapper): string | undefined {
  if (typeof before !== 'string' || typeof value !== 'string' || before.length > MAX_NAME_LENGTH)
    return undefined;
  return mapper.isSecretName(before) && isGenerated(value.slice(0, MAX_INSPECTED_LENGTH).replace(/\s/g, ''))
    ? before
    : undefined;
}

function* mapMembers(object: object, progress: Progress, { name, depth }: Position): Steps<object> {
  const keys = Object.keys(object);
  const naming = nameMembers(object, keys, name);
  const changed = new Map<string, unknown>();
  for (const key of keys) {
    const before: unknown = object[key as keyof typeof object];
    const after = yield* mapValue(before, progress, { name: naming(key), depth: depth + 1 });
    if (after !== before) changed.set(key, after);
  }
  if (changed.size === 0) return object;
  return Object.fromEntries(
    keys.map((key) => [key, changed.has(key) ? changed.get(key) : object[key as keyof typeof object]]),
  );
}

const MAX_NAME_LENGTH = 64;
const MAX_INSPECTED_LENGTH = 256;
const NAME_KEYS = spell(
  [
    'name',
    'key',
    'header',
    'field',
    'variable',
    'parameter',
    'param',
    'setting',
    'option',
    'property',
    'attribute',
    'label',
  ],
  [
    'parameter',
    'param',
    'header',
    'field',
    'variable',
    'env',
    'setting',
    'option',
    'property',
    'secret',
  ].flatMap((of) => [
    [of, 'name'],
    [of, 'key'],
  ]),
);
const VALUE_KEYS = spell(
  ['value', 'val', 'content', 'text'],
  [
    'parameter',
    'param',
    'header',
    'field',
    'variable',
    'setting',
    'option',
    'property',
    'secret',
    'string',
  ].map((of) => [of, 'value']),
);

/** Every common spelling: `name`, `Name`, `NAME`, `headerName`, `HeaderName`, `header_name`. A set is read for each member. */
function spell(words: readonly string[], pairs: readonly (readonly string[])[]): ReadonlySet<string> {
  const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
  return new Set([
    ...words.flatMap((word) => [word, capital(word), word.toUpperCase()]),
    ...pairs.flatMap(([of, word]) => [
      `${of}${capital(word!)}`,
      `${capital(of!)}${capital(word!)}`,
      `${of}_${word}`,
    ]),
  ]);
}

/** Members whose own members are secrets, whatever they are called: `{ "secrets": { "db": "…" } }`. */
const SECRET_HOLDER =
  /^(?:secrets|passwords|api_?keys|(?:github|gitlab|bitbucket)-(?:oauth|token)|bearer|string_?data)$/i;
/** RFC 7518, section 6: the members of a JSON Web Key that make it a private one. */
const PRIVATE_MEMBERS = new Set(['d', 'k', 'p', 'q', 'dp', 'dq', 'qi']);

/** Terraform: the type of a resource whose `result` is the password. */
const RANDOM_PASSWORD = 'random_password';
const STATE_KEYS = new Set(['instances', 'attributes', 'values']);

function nameGenerated(key: string): string {
  if (key === 'result') return 'password';
  return STATE_KEYS.has(key) ? RANDOM_PASSWORD : key;
}

/** Chooses the name under which a member of an object is judged. */
function nameMembers(
  object: object,
  keys: readonly string[],
  holder: string | undefined,
): (key: string) => string {
  const isGenerator = (object as { type?: unknown }).type === RANDOM_PASSWORD;
  if (isGenerator || holder === RANDOM_PASSWORD) return nameGenerated;
  const pairName = readPairName(object, keys);
  if (pairName !== undefined) return (key) => (VALUE_KEYS.has(key) ? pairName : key);
  if ((object as { kind?: unknown }).kind === 'Secret') return (key) => (key === 'data' ? 'secrets' : key);
  if (keys.includes('kty')) return (key) => (PRIVATE_MEMBERS.has(key) ? 'private key' : key);
  return holder !== undefined && SECRET_HOLDER.test(holder)
    ? (key) => (/user|host|url|email|name|type|id$/i.test(key) ? key : `${key} secret`)
    : (key) => key;
}

/** An object with more members is a record, not a name and its value. */
const MAX_PAIR_MEMBERS = 12;

/** Reads the name in `{ "name": "API_KEY", "value": "…" }`, a common form of headers and environment variables. */
function readPairName(object: object, keys: readonly string[]): string | undefined {
  if (keys.length > MAX_PAIR_MEMBERS) return undefined;
  for (const key of keys) {
    if (!NAME_KEYS.has(key)) continue;
    const name: unknown = object[key as keyof typeof object];
    if (typeof name === 'string') return name;
  }
  return undefined;
}
