import { isJsonObject, type Json } from '../base/json/json.ts';
import { valueAtFragment } from '../base/json/pointer.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

const MAX_HOPS = 32;

/**
 * The part of a tool's input schema at a pointer such as `#/properties/options`: what a compiled prompt left out and
 * only referred to. A part that is itself a reference is followed to what it means.
 */
export function schemaPart({ inputSchema }: ToolContract, pointer: string): Json {
  let found = at(inputSchema, pointer);
  for (let hops = 0; hops < MAX_HOPS && isJsonObject(found) && typeof found.$ref === 'string'; hops++)
    found = at(inputSchema, found.$ref);
  return found as Json;
}

function at(schema: ToolContract['inputSchema'], pointer: string): unknown {
  const found = valueAtFragment(schema, pointer);
  if (found === undefined) {
    throw new Fault(
      'INVALID_INPUT',
      'Nothing is at that pointer. It begins with "#", such as #/properties/x.',
    );
  }
  return found;
}
