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

/**
 * The depth and the number of nodes of a value. It goes level by level, because recursion could overflow the stack, and
 * reads no level below `maxDepth`.
 */
export function sizeOf(value: unknown, maxDepth: number = Number.POSITIVE_INFINITY): JsonSize {
  let depth = 0;
  let nodes = 1;
  for (let level = isContainer(value) ? [value] : []; level.length > 0; depth++) {
    if (depth > maxDepth) break;
    const below: object[] = [];
    for (const container of level) nodes += pushContainers(container, below);
    level = below;
  }
  return { depth, nodes };
}

/** Adds the objects and arrays in a container; returns the number of all its members. */
function pushContainers(container: object, found: object[]): number {
  let members = 0;
  if (Array.isArray(container)) {
    for (const item of container) if (isContainer(item)) found.push(item);
    return container.length;
  }
  // Reading an object with many members by `Object.values` takes twice as long.
  for (const key in container) {
    members++;
    const member: unknown = container[key as keyof typeof container];
    if (isContainer(member)) found.push(member);
  }
  return members;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
