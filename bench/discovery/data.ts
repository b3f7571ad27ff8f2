import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { admit } from '../../src/catalog/admit.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../../src/catalog/schema/budget.ts';
import type { ToolContract } from '../../src/contract/tool.ts';

export interface LabelledQuery {
  readonly query: string;
  /** Names of tools in the catalog, any of which is a right answer. */
  readonly relevant: ReadonlySet<string>;
  readonly kind: string | undefined;
}

export interface QuerySet {
  readonly name: string;
  readonly tools: readonly ToolContract[];
  /** The catalog's own name of each tool, in the same order. */
  readonly names: readonly string[];
  readonly queries: readonly LabelledQuery[];
}

interface CatalogLine {
  readonly name: string;
  readonly description?: string;
  readonly server?: string;
  readonly inputSchema?: object;
}

/** Every set in a folder: a subfolder each, with catalog.jsonl and queries.jsonl. */
export function setsIn(folder: string): QuerySet[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, 'catalog.jsonl')))
    .map((name) => readSet(name, join(folder, name, 'catalog.jsonl'), join(folder, name, 'queries.jsonl')));
}

export function readSet(name: string, catalogFile: string, queriesFile: string): QuerySet {
  const catalog = readLines<CatalogLine>(catalogFile);
  const known = new Set(catalog.map((line) => line.name));
  const queries = readLines<{ query: string; relevant: string[]; kind?: string }>(queriesFile)
    .map(({ query, relevant, kind }) => ({
      query,
      kind,
      relevant: new Set(relevant.filter((tool) => known.has(tool))),
    }))
    .filter(({ relevant }) => relevant.size > 0);
  return { name, tools: catalog.map(contractOf), names: catalog.map((line) => line.name), queries };
}

/** Half of the queries, by the hash of their text. The present weights were chosen on both halves, so this one is not held out. */
export function devHalf(set: QuerySet): QuerySet {
  const isDev = ({ query }: LabelledQuery): boolean =>
    createHash('sha256').update(query).digest()[0]! % 2 === 1;
  return { ...set, queries: set.queries.filter(isDev) };
}

/** The contract that the gateway would make of the line, with the server's name as the set writes it. */
function contractOf({ name, description, server = '', inputSchema }: CatalogLine): ToolContract {
  const own = server !== '' && name.includes('__') ? name.slice(name.indexOf('__') + 2) : name;
  const { contracts } = admit('set', [{ name: own || name, description, inputSchema, hints: {} }], {
    profile: 'personal',
    limits: { ...DEFAULT_SCHEMA_LIMITS, maxBytes: 1e9, maxProperties: 1e9, maxSubschemas: 1e9 },
    overBudget: 'flag',
    visibility: 'external',
  });
  return { ...contracts[0]!, namespace: server };
}

function readLines<Line>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
}
