import { plainText } from '../text/plain-text.ts';
import { isJsonObject } from './json.ts';

/** Removes hidden characters from the strings and keys of a value; returns the same value where it has none. */
export function plainValue<Value>(value: Value): Value {
  return plainOf(value) as Value;
}

function plainOf(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return plainItems(value);
  return isJsonObject(value) ? plainMembers(value) : value;
}

function plainItems(items: readonly unknown[]): readonly unknown[] {
  const plain = items.map(plainOf);
  return plain.every((item, i) => item === items[i]) ? items : plain;
}

function plainMembers(object: object): object {
  const members = Object.entries(object);
  const keys = plainKeys(Object.keys(object));
  const plain = members.map(([, member]) => plainOf(member));
  if (plain.every((member, i) => member === members[i]![1] && keys[i] === members[i]![0])) return object;
  return Object.fromEntries(plain.map((member, i) => [keys[i]!, member]));
}

/** Numbers the keys that differ only in hidden characters, so that no member is lost. */
function plainKeys(keys: readonly string[]): readonly string[] {
  const plain = keys.map(plainText);
  if (plain.every((key, i) => key === keys[i])) return keys;
  const taken = new Set(keys);
  const numbers = new Map<string, number>();
  return plain.map((key, i) => {
    if (key === keys[i]) return key;
    let number = numbers.get(key) ?? 1;
    let numbered = key;
    while (taken.has(numbered)) numbered = `${key} (${++number})`;
    numbers.set(key, number);
    taken.add(numbered);
    return numbered;
  });
}
