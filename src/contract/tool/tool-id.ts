import { createHash } from 'node:crypto';
import { asciiJsonStrings, byCodePoint } from '../../base/json/canonical-json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/**
 * tool_id   = namespace ":" name [ "@" version ] [ "#" hash8 ], at most 240 characters.
 * Only `parseToolId` and `formatToolId` read the structure of an id. It is the only key between a card and its tool.
 */
export interface ToolIdParts {
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
  readonly hash8?: string;
}

export const MAX_TOOL_ID_LENGTH = 240;
const NAMESPACE = /^[a-z][a-z0-9_-]{0,63}$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const VERSION = /^[A-Za-z0-9._-]{1,32}$/;
const HASH8 = /^[0-9a-f]{8}$/;
const TOOL_ID = /^([^:@#]+):([^:@#]+)(?:@([^:@#]+))?(?:#([^:@#]+))?$/;

/** Something that the catalog cannot hold: a malformed id, or two tools with one id. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
}

export function parseToolId(text: string): ToolIdParts {
  const match = text.length <= MAX_TOOL_ID_LENGTH ? TOOL_ID.exec(text) : null;
  // In some engines `$` also matches before a final newline; the character classes below refuse one.
  const [, namespace, name, version, hash8] = match ?? [];
  if (
    !namespace ||
    !name ||
    !NAMESPACE.test(namespace) ||
    !NAME.test(name) ||
    (version !== undefined && !VERSION.test(version)) ||
    (hash8 !== undefined && !HASH8.test(hash8))
  ) {
    throw notAToolId(text);
  }
  return { namespace, name, ...(version && { version }), ...(hash8 && { hash8 }) };
}

export function formatToolId({ namespace, name, version, hash8 }: ToolIdParts): string {
  const text = `${namespace}:${name}${version === undefined ? '' : `@${version}`}${hash8 === undefined ? '' : `#${hash8}`}`;
  const parsed = parseToolId(text);
  // A name that contains `@` or `#` would be parsed into other parts.
  if (parsed.name !== name || parsed.version !== version) throw notAToolId(text);
  return text;
}

function notAToolId(text: string): CatalogError {
  return new CatalogError(`not a tool id: ${JSON.stringify(text.slice(0, 80))}`);
}

export function isToolId(text: string): boolean {
  try {
    parseToolId(text);
    return true;
  } catch {
    return false;
  }
}

export interface InferredNamespace {
  readonly namespace: string;
  readonly name: string;
}

/** Derives the namespace of a tool without a configured one: before a dot, a slash, or the first of three `_` parts. */
export function inferNamespace(upstreamName: string): InferredNamespace {
  for (const separator of ['.', '/']) {
    const at = upstreamName.indexOf(separator);
    if (at > 0) return { namespace: upstreamName.slice(0, at), name: upstreamName.slice(at + 1) };
  }
  const parts = upstreamName.split('_');
  // An underscore can be part of the name itself, so the prefix stays in it.
  if (parts.length >= 3 && parts[0]) return { namespace: parts[0], name: upstreamName };
  return { namespace: 'mcp', name: upstreamName };
}

export function repairNamespace(text: string): string {
  const lowered = text.toLowerCase().replace(/[^a-z0-9_-]/g, '-');
  return (/^[a-z]/.test(lowered) ? lowered : `n${lowered}`).slice(0, 64);
}

export function repairName(text: string): string {
  const replaced = text.replace(/[^A-Za-z0-9_.-]/g, '_');
  return (/^[A-Za-z_]/.test(replaced) ? replaced : `_${replaced}`).slice(0, 128);
}

/** Returns a version that fits the grammar, or undefined where no valid character is left. */
export function repairVersion(text: string): string | undefined {
  return (
    text
      .trim()
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 32) || undefined
  );
}

/** Hashes the upstream's name of the tool and the shape of its input, so that edits of prose do not change the id. */
export function toolShapeHash(upstreamName: string, inputSchema: unknown): string {
  const schema = isJsonObject(inputSchema) ? inputSchema : {};
  const properties = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === 'string')
    : [];
  const shape = `{"properties":${asciiJsonStrings(properties.sort(byCodePoint))},"required":${asciiJsonStrings(
    required.sort(byCodePoint),
  )}}`;
  return hash8(`${upstreamName}\n${shape}`);
}

export function hash8(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 8);
}
