import { _, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import type { JsonObject } from '../../base/json/json.ts';
import {
  IN_PLACE_LISTS,
  IN_PLACE_MAPS,
  IN_PLACE_SCHEMAS,
  REFERENCE_KEYWORDS,
} from '../../base/json/schema-keywords.ts';
import { spend } from './metering.ts';

export const METERING_KEYWORD = 'x-toolgate-metering';

const LISTS = ['enum', 'required', 'prefixItems', ...IN_PLACE_LISTS] as const;
const MAPS = ['properties', 'patternProperties', 'dependentRequired', ...IN_PLACE_MAPS] as const;
const SINGLE = ['not', ...IN_PLACE_SCHEMAS] as const;
/** Keywords whose work grows with the value, not with the schema. */
const VALUE_SIZED = [
  'minLength',
  'maxLength',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'minProperties',
  'maxProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
] as const;

/** A subschema with one of these is charged for itself and for its direct subschemas; all others cost almost nothing. */
export const METERED_KEYWORDS: readonly string[] = [
  ...REFERENCE_KEYWORDS,
  ...LISTS,
  ...MAPS,
  ...SINGLE,
  ...VALUE_SIZED,
];

/** Charges for each use of a subschema. It runs before `$ref`, or else a reference that fails would not be charged. */
export const meteringKeyword: CodeKeywordDefinition = {
  keyword: METERING_KEYWORD,
  before: '$ref',
  code({ gen, data, parentSchema }: KeywordCxt) {
    const has = (keyword: string): boolean => parentSchema[keyword] !== undefined;
    const units = unitsOf(parentSchema);
    if (VALUE_SIZED.some(has)) {
      gen.code(_`${gen.scopeValue('func', { ref: spendForValue })}(${units}, ${data})`);
    } else {
      // Each reference copies the violations found so far.
      const copied = REFERENCE_KEYWORDS.some(has) ? _` + errors / 256` : _``;
      gen.code(_`${gen.scopeValue('func', { ref: spend })}(${units}${copied})`);
    }
  },
};

function unitsOf(schema: JsonObject): number {
  const listed = LISTS.map((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword].length : 0));
  const mapped = MAPS.map((keyword) => Object.keys(schema[keyword] ?? {}).length);
  return 1 + Math.ceil([...listed, ...mapped].reduce((sum, length) => sum + length, 0) / 8);
}

function spendForValue(units: number, data: unknown): void {
  if (typeof data === 'string') spend(units + data.length / 1_024);
  else if (Array.isArray(data)) spend(units + data.length / 8);
  else if (typeof data === 'object' && data !== null) spend(units + Object.keys(data).length / 8);
  else spend(units);
}
