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

/** How deep and how large a value is, level by level and not by recursion, since depth is what is in doubt. */
export function sizeOf(value: unknown): JsonSize {
  let depth = 0;
  let nodes = 1;
  for (let level = containersIn([value]); level.length > 0; depth++) {
    const below: unknown[][] = level.map((container) =>
      Array.isArray(container) ? container : Object.values(container),
    );
    for (const members of below) nodes += members.length;
    level = below.flatMap(containersIn);
  }
  return { depth, nodes };
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
