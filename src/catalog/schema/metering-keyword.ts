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
/** Work that grows with the value and not with the schema. */
const READS_ALL = [
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

/** A subschema with one of these pays for itself and for what lies directly below it; all others cost next to nothing. */
export const METERED_KEYWORDS: readonly string[] = [
  ...REFERENCE_KEYWORDS,
  ...LISTS,
  ...MAPS,
  ...SINGLE,
  ...READS_ALL,
];

/** What a subschema pays each time it is applied: before anything else in it, or a failing reference would go free. */
export const meteringKeyword: CodeKeywordDefinition = {
  keyword: METERING_KEYWORD,
  before: '$ref',
  code({ gen, data, parentSchema }: KeywordCxt) {
    const has = (keyword: string): boolean => parentSchema[keyword] !== undefined;
    const units = unitsOf(parentSchema);
    if (READS_ALL.some(has)) {
      gen.code(_`${gen.scopeValue('func', { ref: spendOn })}(${units}, ${data})`);
    } else {
      // A reference copies the violations found so far.
      const copied = REFERENCE_KEYWORDS.some(has) ? _` + errors / 256` : _``;
      gen.code(_`${gen.scopeValue('func', { ref: spend })}(${units}${copied})`);
    }
  },
};

function unitsOf(schema: JsonObject): number {
  const listed = LISTS.map((word) => (Array.isArray(schema[word]) ? schema[word].length : 0));
  const mapped = MAPS.map((word) => Object.keys(schema[word] ?? {}).length);
  return 1 + Math.ceil([...listed, ...mapped].reduce((sum, length) => sum + length, 0) / 8);
}

function spendOn(units: number, data: unknown): void {
  if (typeof data === 'string') spend(units + data.length / 1_024);
  else if (Array.isArray(data)) spend(units + data.length / 8);
  else if (typeof data === 'object' && data !== null) spend(units + Object.keys(data).length / 8);
  else spend(units);
}
