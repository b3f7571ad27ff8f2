import { hash } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.ts';
import { SchemaUnusable, schemaCheck } from '../schema/compile.ts';
import { unnamedProperties } from '../schema/named-properties.ts';
import { schemaOfMember } from './schema-of.ts';

/** A hundred and twenty-eight bits in hex: with fewer, two keys could meet. */
const MIN_LENGTH = 32;

/** A key in the form that a tool's own argument for keys takes: the same for the same key, and for no other. */
export function keyInForm(key: string, argument: string, schema: JsonObject): string {
  const { format, maxLength } = schemaOfMember(schema, argument, schema) ?? {};
  if (format === 'uuid') return uuidOf(key);
  return typeof maxLength === 'number' && maxLength >= MIN_LENGTH ? key.slice(0, maxLength) : key;
}

/** Why a tool cannot be given keys in an argument; undefined where it can. */
export function keyArgumentDefect(
  argument: string,
  schema: JsonObject,
  unknown: 'refuse' | 'pass',
): string | undefined {
  const args = { [argument]: keyInForm(hash('sha256', argument), argument, schema) };
  if (unknown === 'refuse' && unnamedProperties(schema, args).length > 0) return 'it has no such argument';
  try {
    const refused = schemaCheck(
      schema,
      'every',
    )(args).some(({ path, expected }) => path === `/${argument}` || expected === `no property "${argument}"`);
    return refused ? 'its schema does not take the keys that are made for it' : undefined;
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    return undefined;
  }
}

/** Version 8, which is for ids that are made of something else (RFC 9562, section 5.8). */
function uuidOf(key: string): string {
  const variant = ((Number.parseInt(key[16]!, 16) & 0b0011) | 0b1000).toString(16);
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-${variant}${key.slice(17, 20)}-${key.slice(20, 32)}`;
}
