import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A reference that leads nowhere. Its message names the reference, never a value. */
export class UnresolvedReference extends Error {
  override readonly name = 'UnresolvedReference';
}

export interface ReferenceScope {
  readonly env: Environment;
  /** The folder that `${file:…}` paths start from. */
  readonly folder: string;
}

type SourceName = 'env' | 'file' | 'input' | 'bare';

interface Source {
  look(target: string, scope: ReferenceScope): string | undefined;
  readonly missing: string;
}

/** `${env:X}` and `${file:path}` are ours; the others are what client configs use. */
const SOURCES: Readonly<Record<SourceName, Source>> = {
  env: {
    look: (name, { env }) => (Object.hasOwn(env, name) ? env[name] : undefined),
    missing: 'the environment variable is not set',
  },
  file: {
    look: (path, { folder }) => contentOf(resolve(folder, path)),
    missing: 'the file cannot be read',
  },
  input: {
    look: () => undefined,
    missing: `nobody can be asked here; write \${env:NAME} instead`,
  },
  bare: {
    look: (name, scope) => folderNamed(name, scope.folder) ?? SOURCES.env.look(name, scope),
    missing: 'the environment variable is not set',
  },
};

interface Reference {
  readonly source?: SourceName;
  readonly target?: string;
  readonly bare?: string;
  readonly fallback?: string;
}

const REFERENCE =
  /\$\{(?:(?<source>env|file|input):(?<target>[^}]+?)|(?<bare>[A-Za-z_]\w*))(?::-(?<fallback>[^}]*))?\}/g;

export function hasReference(text: string): boolean {
  return text.search(REFERENCE) !== -1;
}

/** Puts secrets in where the config only names them. */
export function resolveReferences(text: string, scope: ReferenceScope): string {
  return text.replace(REFERENCE, (whole, ...captured) => {
    const { source = 'bare', target, bare, fallback }: Reference = captured.at(-1);
    const { look, missing } = SOURCES[source];
    const value = look(target ?? bare ?? '', scope) ?? fallback;
    if (value === undefined) throw new UnresolvedReference(`${whole}: ${missing}`);
    return value;
  });
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

function folderNamed(name: string, folder: string): string | undefined {
  if (name === 'userHome') return homedir();
  return name === 'workspaceFolder' ? workspaceOf(folder) : undefined;
}

/** Editors keep a project's config in a folder of their own inside the project. */
function workspaceOf(folder: string): string {
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder;
}

/** The same through lists and objects. */
export function resolveDeep<Value>(value: Value, scope: ReferenceScope): Value {
  if (typeof value === 'string') return resolveReferences(value, scope) as Value;
  if (Array.isArray(value)) return value.map((item) => resolveDeep(item, scope)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveDeep(member, scope)]),
  ) as Value;
}
