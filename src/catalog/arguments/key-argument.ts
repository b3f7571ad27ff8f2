import { hash } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.ts';
import { SchemaUnusable, schemaCheck } from '../schema/compile.ts';
import { unnamedProperties } from '../schema/named-properties.ts';
import { schemaOfMember } from './schema-of.ts';

/** 128 bits in hex: shorter keys could collide. */
const MIN_LENGTH = 32;

/** Fits a key to the argument that takes it: equal keys give equal texts, different keys give different texts. */
export function formatKey(key: string, argument: string, schema: JsonObject): string {
  const { format, maxLength } = schemaOfMember(schema, argument, schema) ?? {};
  if (format === 'uuid') return uuidFrom(key);
  return typeof maxLength === 'number' && maxLength >= MIN_LENGTH ? key.slice(0, maxLength) : key;
}

/** Why an argument cannot take idempotency keys; undefined where it can. */
export function findKeyArgumentDefect(
  argument: string,
  schema: JsonObject,
  unknown: 'refuse' | 'pass',
): string | undefined {
  const args = { [argument]: formatKey(hash('sha256', argument), argument, schema) };
  if (unknown === 'refuse' && unnamedProperties(schema, args).length > 0)
    return 'the tool has no such argument; name one of its arguments';
  try {
    const refused = schemaCheck(
      schema,
      'every',
    )(args).some(({ path, expected }) => path === `/${argument}` || expected === `no property "${argument}"`);
    return refused
      ? 'its schema does not accept generated keys; name an argument that takes a UUID or any string of 32 characters'
      : undefined;
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    return undefined;
  }
}

/** A UUID of version 8, the version for custom content (RFC 9562, section 5.8). */
function uuidFrom(key: string): string {
  const variant = ((Number.parseInt(key[16]!, 16) & 0b0011) | 0b1000).toString(16);
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-${variant}${key.slice(17, 20)}-${key.slice(20, 32)}`;
}
