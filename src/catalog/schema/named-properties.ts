import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { followPointer } from './pointer.ts';

export interface NamedProperties {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** The schema says itself what may stand beside the named ones, so its own word counts. */
  readonly open: boolean;
}

const IN_PLACE = ['allOf', 'anyOf', 'oneOf'] as const;
const CONDITIONAL = ['if', 'then', 'else'] as const;

/** The top-level properties that a schema names anywhere in place: strictness may refuse only what none of it names. */
export function namedProperties(schema: JsonObject): NamedProperties {
  const names = new Set<string>();
  const patterns: string[] = [];
  const seen = new Set<JsonObject>();
  let isOpen = false;
  const open: unknown[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isJsonObject(node) || seen.has(node)) continue;
    seen.add(node);
    if (node.additionalProperties !== undefined || node.unevaluatedProperties !== undefined) isOpen = true;
    if (isJsonObject(node.properties)) for (const name of Object.keys(node.properties)) names.add(name);
    if (isJsonObject(node.patternProperties)) patterns.push(...Object.keys(node.patternProperties));
    for (const keyword of IN_PLACE) if (Array.isArray(node[keyword])) open.push(...node[keyword]);
    for (const keyword of CONDITIONAL) open.push(node[keyword]);
    if (isJsonObject(node.dependentSchemas)) open.push(...Object.values(node.dependentSchemas));
    if (typeof node.$ref === 'string') {
      if (node.$ref.startsWith('#')) open.push(followPointer(schema, node.$ref.slice(1)));
      else isOpen = true;
    }
  }
  return { names, patterns, open: isOpen };
}
