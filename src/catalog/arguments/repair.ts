import { isJsonObject, type Json, type JsonObject, sizeOf } from '../../base/json/json.ts';
import { escapeToken } from '../../base/json/pointer.ts';
import { resolveReference, schemaOfItem, schemaOfMember } from './schema-of.ts';

export type RepairRule =
  | 'parse_stringified_object'
  | 'str_to_integer'
  | 'str_to_number'
  | 'str_to_boolean'
  | 'str_to_null';

/** Where an argument was repaired and by which rule. It never holds the value, which may be secret. */
export interface ArgumentRepair {
  readonly path: string;
  readonly rule: RepairRule;
}

export interface RepairedArguments {
  readonly args: unknown;
  readonly repairs: readonly ArgumentRepair[];
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Converts values that a model wrote as strings to the type that the schema requires, by five fixed rules (gateway
 * surface §4.4). It renames, guesses and drops nothing, and skips values that may be strings and arguments that are too
 * deep.
 */
export function repairArguments(args: unknown, schema: JsonObject, maxDepth: number): RepairedArguments {
  const repairs: ArgumentRepair[] = [];
  const whole = typeof args === 'string' ? parseObject(args) : undefined;
  if (whole) repairs.push({ path: '/', rule: 'parse_stringified_object' });
  // The depth of a text is known only after parsing.
  if (sizeOf(whole ?? args, maxDepth).depth > maxDepth) return { args: whole ?? args, repairs };
  const repair = (value: unknown, at: JsonObject | undefined, path: string): unknown => {
    if (typeof value === 'string') {
      const read = at && readAs(value, typesOf(at));
      if (!read) return value;
      repairs.push({ path: path || '/', rule: read.rule });
      return read.value;
    }
    if (Array.isArray(value))
      return value.map((item, i) => repair(item, schemaOfItem(at, i, schema), `${path}/${i}`));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        repair(member, schemaOfMember(at, key, schema), `${path}/${escapeToken(key)}`),
      ]),
    );
  };
  const repaired = isJsonObject(whole ?? args)
    ? repair(whole ?? args, resolveReference(schema, schema), '')
    : args;
  return repairs.length === 0 ? { args, repairs } : { args: repaired, repairs };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\ufeff/, '').trim());
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function typesOf({ type }: JsonObject): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function readAs(
  text: string,
  types: readonly unknown[],
): { readonly value: Json; readonly rule: RepairRule } | undefined {
  if (types.includes('string')) return undefined;
  const number = Number(text);
  if (types.includes('integer') && INTEGER.test(text) && Number.isSafeInteger(number))
    return { value: number, rule: 'str_to_integer' };
  if (types.includes('number') && NUMBER.test(text) && Number.isFinite(number))
    return { value: number, rule: 'str_to_number' };
  if (types.includes('boolean') && (text === 'true' || text === 'false'))
    return { value: text === 'true', rule: 'str_to_boolean' };
  if (types.includes('null') && text === 'null') return { value: null, rule: 'str_to_null' };
  return undefined;
}
