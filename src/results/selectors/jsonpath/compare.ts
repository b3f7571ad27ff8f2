import { isJsonObject } from '../../../base/json/json.ts';
import { NOTHING, type Walk } from './query.ts';

/** RFC 9535, section 2.3.5.2.2: Nothing equals Nothing, values are equal by value, numbers and strings have an order. */
export function compare(left: unknown, operator: string, right: unknown, walk: Walk): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, walk);
    case '!=':
      return !isEqual(left, right, walk);
    case '<':
      return isLess(left, right, walk);
    case '>':
      return isLess(right, left, walk);
    case '<=':
      return isLess(left, right, walk) || isEqual(left, right, walk);
    default:
      return isLess(right, left, walk) || isEqual(left, right, walk);
  }
}

function isEqual(left: unknown, right: unknown, walk: Walk): boolean {
  walk.spend(typeof left === 'string' ? 0.1 + left.length / 1_024 : 0.1);
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isEqual(item, right[index], walk));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  walk.spend(keys.length / 8);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], walk));
}

function isLess(left: unknown, right: unknown, walk: Walk): boolean {
  walk.spend(0.1);
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  walk.spend(Math.min(left.length, right.length) / 256);
  return isBefore(left, right);
}

/** Compares by code points, not by UTF-16 units, as the standard requires. */
function isBefore(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  if (at >= left.length || at >= right.length) return left.length < right.length;
  return rankAt(left, at) < rankAt(right, at);
}

/** Surrogates encode code points above all that one UTF-16 unit can hold. */
function rankAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** RFC 9535, section 2.4.4. */
export function lengthOf(value: unknown, walk: Walk): unknown {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') {
    walk.spend(value.length / 64);
    let length = 0;
    for (const _ of value) length++;
    return length;
  }
  return isJsonObject(value) ? Object.keys(value).length : NOTHING;
}
