export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface JsonSize {
  readonly depth: number;
  readonly nodes: number;
}

/** How deep and how large a value is, by a list and not by recursion, since depth is what is in doubt. */
export function sizeOf(value: unknown): JsonSize {
  let depth = 0;
  let nodes = 0;
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }];
  for (let node = open.pop(); node; node = open.pop()) {
    nodes++;
    if (typeof node.value !== 'object' || node.value === null) continue;
    if (node.level > depth) depth = node.level;
    for (const member of Object.values(node.value)) open.push({ value: member, level: node.level + 1 });
  }
  return { depth, nodes };
}
