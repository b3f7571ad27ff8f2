import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A reference without a value. Its message names the reference, never a value. */
export class UnresolvedReference extends Error {
  override readonly name = 'UnresolvedReference';
}

export interface ReferenceScope {
  readonly env: Environment;
  /** The folder that relative paths of `${file:…}` start from. */
  readonly folder: string;
}

type SourceName = 'env' | 'file' | 'input' | 'bare';

interface Source {
  read(target: string, scope: ReferenceScope): string | undefined;
  readonly missing: string;
}

/** `${env:X}` and `${file:path}` are Toolgate's own syntax; the others occur in configs of MCP clients. */
const SOURCES: Readonly<Record<SourceName, Source>> = {
  env: {
    read: (name, { env }) => (Object.hasOwn(env, name) ? env[name] : undefined),
    missing: 'the environment variable is not set',
  },
  file: {
    read: (path, { folder }) => readContent(resolve(folder, path)),
    missing: 'the file cannot be read',
  },
  input: {
    read: () => undefined,
    missing: `inputs cannot be prompted for; use \${env:NAME} instead`,
  },
  bare: {
    read: (name, scope) => predefinedFolder(name, scope.folder) ?? SOURCES.env.read(name, scope),
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

/** Replaces references by their values. */
export function resolveReferences(text: string, scope: ReferenceScope): string {
  return text.replace(REFERENCE, (reference, ...groups) => {
    const { source = 'bare', target, bare, fallback }: Reference = groups.at(-1);
    const { read, missing } = SOURCES[source];
    const value = read(target ?? bare ?? '', scope) ?? fallback;
    if (value === undefined) throw new UnresolvedReference(`${reference}: ${missing}`);
    return value;
  });
}

function readContent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

function predefinedFolder(name: string, folder: string): string | undefined {
  if (name === 'userHome') return homedir();
  return name === 'workspaceFolder' ? workspaceOf(folder) : undefined;
}

/** VS Code and Cursor keep a project's config in a subfolder of the project. */
function workspaceOf(folder: string): string {
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder;
}

/** Resolves references in every string of a value, through lists and objects. */
export function resolveDeep<Value>(value: Value, scope: ReferenceScope): Value {
  if (typeof value === 'string') return resolveReferences(value, scope) as Value;
  if (Array.isArray(value)) return value.map((item) => resolveDeep(item, scope)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveDeep(member, scope)]),
  ) as Value;
}
