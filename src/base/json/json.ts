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

/** The depth and the number of nodes of a value. It goes level by level, because recursion could overflow the stack. */
export function sizeOf(value: unknown): JsonSize {
  let depth = 0;
  let nodes = 1;
  for (let level = onlyContainers([value]); level.length > 0; depth++) {
    const below: unknown[][] = level.map((container) =>
      Array.isArray(container) ? container : Object.values(container),
    );
    for (const members of below) nodes += members.length;
    level = below.flatMap(onlyContainers);
  }
  return { depth, nodes };
}

function onlyContainers(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
