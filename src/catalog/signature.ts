import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { plainLine } from '../base/text/plain-text.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { namedProperties } from './schema/named-properties.ts';

const MAX_SIGNATURE_LENGTH = 800;

/** A tool's call in one line, as `create_issue(title: string, labels?: string[], state?: "open"|"closed")`. */
export function signatureOf(contract: ToolContract): string {
  const schema = contract.inputSchema;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const parameters = Object.entries(properties)
    .sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${typeOf(member, 0)}`);
  const all = parameters.length > 0 ? parameters.join(', ') : anyArguments(schema);
  return plainLine(`${contract.name}(${all})`, MAX_SIGNATURE_LENGTH);
}

/** `...any` for a schema that accepts arguments without naming one. */
function anyArguments(schema: JsonObject): string {
  const { additionalProperties } = schema;
  const { names, patterns, open } = namedProperties(schema);
  if (!open || additionalProperties === false || names.size > 0 || patterns.length > 0) return '';
  return `...${typeOf(additionalProperties, 0)}`;
}

function typeOf(schema: unknown, depth: number): string {
  if (!isJsonObject(schema)) return 'any';
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join('|');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const options = schema[keyword];
    if (Array.isArray(options)) return [...new Set(options.map((option) => typeOf(option, depth)))].join('|');
  }
  if (Array.isArray(schema.type)) return schema.type.join('|');
  if (schema.type === 'array') return `${typeOf(schema.items, depth)}[]`;
  if (schema.type === 'object' && depth < 2) return objectType(schema, depth);
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function objectType(schema: JsonObject, depth: number): string {
  if (!isJsonObject(schema.properties)) return 'object';
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries(schema.properties).map(
    ([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${typeOf(member, depth + 1)}`,
  );
  return `{${members.join(', ')}}`;
}
