import { asciiJsonStrings, byCodePoint } from '../../base/json/canonical-json.ts';
import { CatalogError, formatToolId, hash8, parseToolId, type ToolIdParts } from './tool-id.ts';

/** Tools keep the bare id; ids of resources and prompts start with their kind, so the three kinds cannot collide. */
export type PrimitiveKind = 'tool' | 'resource' | 'prompt';

export interface PrimitiveIdParts extends ToolIdParts {
  readonly kind: PrimitiveKind;
}

export function parsePrimitiveId(text: string): PrimitiveIdParts {
  const at = text.indexOf('::');
  if (at === -1) return { kind: 'tool', ...parseToolId(text) };
  const kind = text.slice(0, at);
  if (kind !== 'resource' && kind !== 'prompt') {
    throw new CatalogError(`not a primitive kind: ${JSON.stringify(kind.slice(0, 40))}`);
  }
  return { kind, ...parseToolId(text.slice(at + 2)) };
}

export function formatPrimitiveId({ kind, ...parts }: PrimitiveIdParts): string {
  const body = formatToolId(parts);
  return kind === 'tool' ? body : `${kind}::${body}`;
}

export function resourceShapeHash(uri: string): string {
  return hash8(`resource\n${uri}`);
}

export function promptShapeHash(name: string, argumentNames: readonly string[]): string {
  return hash8(`prompt\n${name}\n${asciiJsonStrings([...argumentNames].sort(byCodePoint))}`);
}

/** Repeated ids become `id~2`, `id~3` …: opaque catalog keys that `parsePrimitiveId` does not accept. */
export function resolveCollisions(ids: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return ids.map((id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}~${count}`;
  });
}
