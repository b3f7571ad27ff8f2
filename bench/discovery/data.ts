import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { admit } from '../../src/catalog/admit.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../../src/catalog/schema/budget.ts';
import type { ToolContract } from '../../src/contract/tool/tool.ts';
import { InputError } from './input-error.ts';
import { type Line, readLines } from './json-lines.ts';

export interface LabelledQuery {
  readonly query: string;
  /** Names of the tools in the catalog that are relevant. */
  readonly relevant: ReadonlySet<string>;
  readonly kind: string | undefined;
}

export interface QuerySet {
  readonly name: string;
  readonly catalogFile: string;
  readonly tools: readonly ToolContract[];
  /** The name of each tool in the catalog file, in the same order. */
  readonly names: readonly string[];
  readonly queries: readonly LabelledQuery[];
  /** How many relevant tools are not in the catalog, and how many queries have no other relevant tool. */
  readonly missing: { readonly tools: number; readonly queries: number };
}

export type Half = 'train' | 'dev';

const CATALOG_LINE = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  server: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
});
type CatalogLine = z.infer<typeof CATALOG_LINE>;

const QUERY_LINE = z.object({
  query: z.string().min(1),
  relevant: z.array(z.string()).min(1, 'a query needs a relevant tool'),
  kind: z.string().nullish(),
});

/** Reads all sets of a folder: one subfolder per set, with catalog.jsonl and queries.jsonl. */
export function readSets(folder: string): QuerySet[] {
  if (!existsSync(folder)) throw new InputError(`${folder}: no such folder`);
  const sets = readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, 'catalog.jsonl')))
    .map((name) => readSet(name, join(folder, name, 'catalog.jsonl'), join(folder, name, 'queries.jsonl')));
  if (sets.length === 0) throw new InputError(`${folder}: no subfolder has a catalog.jsonl`);
  return sets;
}

export function readSet(name: string, catalogFile: string, queriesFile: string): QuerySet {
  const catalog = readLines(catalogFile, CATALOG_LINE);
  const labels = readLines(queriesFile, QUERY_LINE).map((line) => line.value);
  if (catalog.length === 0) throw new InputError(`${catalogFile}: no tools`);
  if (labels.length === 0) throw new InputError(`${queriesFile}: no queries`);
  const known = locationsByName(catalog);
  const labelled = labels.map(({ query, relevant, kind }) => ({
    query,
    kind: kind ?? undefined,
    relevant: new Set(relevant.filter((tool) => known.has(tool))),
  }));
  const queries = labelled.filter(({ relevant }) => relevant.size > 0);
  return {
    name,
    catalogFile,
    tools: catalog.map(contractOf),
    names: catalog.map(({ value }) => value.name),
    queries,
    missing: {
      tools: new Set(labels.flatMap(({ relevant }) => relevant.filter((tool) => !known.has(tool)))).size,
      queries: labelled.length - queries.length,
    },
  };
}

/** Weights are chosen on one half and measured on the other. The half of a query depends only on its text. */
export function halfOf(set: QuerySet, half: Half): QuerySet {
  const isDev = ({ query }: LabelledQuery): boolean =>
    createHash('sha256').update(query).digest()[0]! % 2 === 1;
  const queries = set.queries.filter((query) => isDev(query) === (half === 'dev'));
  if (queries.length === 0) throw new InputError(`${set.name}: no query is in the ${half} half`);
  return { ...set, queries };
}

function locationsByName(catalog: readonly Line<CatalogLine>[]): ReadonlyMap<string, string> {
  const locations = new Map<string, string>();
  for (const { value, at } of catalog) {
    const earlier = locations.get(value.name);
    if (earlier !== undefined)
      throw new InputError(`${at}: the tool "${value.name}" is also at ${earlier}; names must be unique`);
    locations.set(value.name, at);
  }
  return locations;
}

/** The contract that the gateway would make of the line, with the server's name unchanged. */
function contractOf({ value, at }: Line<CatalogLine>): ToolContract {
  const { name, description, inputSchema } = value;
  const server = value.server ?? '';
  const toolName = server !== '' && name.includes('__') ? name.slice(name.indexOf('__') + 2) : name;
  const { contracts, report } = admit(
    'set',
    [{ name: toolName || name, description: description ?? undefined, inputSchema, hints: {} }],
    {
      profile: 'personal',
      limits: { ...DEFAULT_SCHEMA_LIMITS, maxBytes: 1e9, maxProperties: 1e9, maxSubschemas: 1e9 },
      onOversizedSchema: 'flag',
      visibility: 'external',
    },
  );
  const contract = contracts[0];
  if (!contract) throw new InputError(`${at}: ${report.findings.map(({ reason }) => reason).join('; ')}`);
  // Tools of two servers may have the same name and schema, but ids must be unique in a catalog.
  return { ...contract, id: name, namespace: server };
}
