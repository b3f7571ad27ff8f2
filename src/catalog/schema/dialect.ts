import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../base/json/json.ts';

export const DIALECTS = ['2020-12', '2019-09', 'draft-07'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The dialect that a schema declares, the newest where it declares none; undefined for an unsupported one. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const declared = schema.$schema;
  if (declared === undefined) return '2020-12';
  if (typeof declared !== 'string') return undefined;
  if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(declared)) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/.test(declared)) return '2019-09';
  if (/^https?:\/\/json-schema\.org\/(?:draft-0[67]\/)?schema#?$/.test(declared)) return 'draft-07';
  return undefined;
}

export function createAjv(dialect: Dialect, options: Options): Ajv {
  switch (dialect) {
    case '2020-12':
      return new Ajv2020(options);
    case '2019-09':
      return new Ajv2019(options);
    case 'draft-07':
      return new Ajv(options);
  }
}

const META_SCHEMAS: Readonly<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
};

const validators = new Map<Dialect, ValidateFunction>();

/** Why a schema is not valid in its own dialect; undefined where it is valid. */
export function findSchemaDefect(schema: JsonObject): string | undefined {
  const dialect = dialectOf(schema);
  if (!dialect) return 'it declares an unknown $schema';
  const validate = metaSchemaValidator(dialect);
  if (validate(schema)) return undefined;
  const first = validate.errors?.[0];
  return `it is not a JSON Schema: ${first?.instancePath || 'the root'} ${first?.message ?? 'is malformed'}`;
}

/** The meta-schema of a dialect, compiled once. A dialect has several URIs, so the lookup is by dialect. */
export function metaSchemaValidator(dialect: Dialect): ValidateFunction {
  let validate = validators.get(dialect);
  if (!validate) {
    const ajv = createAjv(dialect, { strict: false, logger: false, code: { optimize: false } });
    validate = ajv.getSchema(META_SCHEMAS[dialect]) as ValidateFunction;
    validators.set(dialect, validate);
  }
  return validate;
}
