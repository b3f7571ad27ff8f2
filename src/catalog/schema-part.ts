import { isJsonObject, type Json } from '../base/json/json.ts';
import { plainValue } from '../base/json/plain-value.ts';
import { valueAtFragment } from '../base/json/pointer.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

const MAX_HOPS = 32;

/**
 * The part of a tool's input schema at a pointer such as `#/properties/options`, which a compiled prompt only refers to.
 * A part that is itself a reference is replaced by its target. Names are those that a prompt shows.
 */
export function schemaPart({ inputSchema }: ToolContract, pointer: string): Json {
  const shown = plainValue(inputSchema);
  let found = partAt(shown, pointer);
  for (let hops = 0; hops < MAX_HOPS && isJsonObject(found) && typeof found.$ref === 'string'; hops++)
    found = partAt(shown, found.$ref);
  return found as Json;
}

function partAt(schema: ToolContract['inputSchema'], pointer: string): unknown {
  const found = valueAtFragment(schema, pointer);
  if (found === undefined) {
    throw new Fault(
      'INVALID_INPUT',
      'The input schema has nothing at that pointer. Use a pointer such as #/properties/x.',
    );
  }
  return found;
}
