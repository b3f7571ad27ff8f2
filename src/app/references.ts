import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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

// `${env:X}` and `${file:path}` are ours; `${X}` and `${X:-default}` are what client configs use.
const REFERENCE = /\$\{(?:(env|file):([^}]+)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;

/** Puts secrets in where the config only names them. */
export function resolveReferences(text: string, { env, folder }: ReferenceScope): string {
  return text.replace(
    REFERENCE,
    (whole, kind: string | undefined, target = '', bare = '', fallback?: string) => {
      if (kind === 'file') {
        try {
          return readFileSync(resolve(folder, target), 'utf8').trimEnd();
        } catch {
          throw new UnresolvedReference(`${whole}: the file cannot be read`);
        }
      }
      const value = env[kind === 'env' ? target : bare] ?? fallback;
      if (value === undefined) throw new UnresolvedReference(`${whole}: the environment variable is not set`);
      return value;
    },
  );
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
