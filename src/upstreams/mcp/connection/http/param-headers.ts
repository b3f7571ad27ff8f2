import { isJsonObject, type Json, type JsonObject } from '../../../../base/json/json.ts';
import { HEADER_MARK, HEADER_TOKEN, MIRRORED_TYPES } from './header-marks.ts';
import { encodeHeaderValue, type HttpHeaders } from './headers.ts';

interface ParamHeader {
  readonly name: string;
  /** Names of the properties that lead to the argument. */
  readonly path: readonly string[];
}

const MAX_DEPTH = 16;

/**
 * The arguments that a client must repeat as `Mcp-Param-*` headers, because the input schema marks them with
 * `x-mcp-header` (MCP 2026-07-28, Streamable HTTP).
 */
export class ParamHeaders {
  #byTool: ReadonlyMap<string, readonly ParamHeader[]> = new Map();

  update(tools: readonly unknown[]): void {
    const byTool = new Map<string, readonly ParamHeader[]>();
    for (const tool of tools) {
      if (!isJsonObject(tool) || typeof tool.name !== 'string') continue;
      const marked = readMarks(tool.inputSchema, []);
      if (marked.length > 0) byTool.set(tool.name, marked);
    }
    this.#byTool = byTool;
  }

  /** A missing argument and one that is null have no header. */
  headersFor(tool: string, args: JsonObject): HttpHeaders {
    const headers: Record<string, string> = {};
    for (const { name, path } of this.#byTool.get(tool) ?? []) {
      const value = headerText(valueAt(args, path));
      if (value !== undefined) headers[`mcp-param-${name}`] = encodeHeaderValue(value);
    }
    return headers;
  }
}

/** Only properties of properties can be marked: elsewhere no fixed path leads to the argument. */
function readMarks(schema: Json | undefined, path: readonly string[]): ParamHeader[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || path.length > MAX_DEPTH) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const at = [...path, key];
    const name = isJsonObject(property) && MIRRORED_TYPES.has(property.type) && property[HEADER_MARK];
    const own =
      typeof name === 'string' && HEADER_TOKEN.test(name) ? [{ name: name.toLowerCase(), path: at }] : [];
    return [...own, ...readMarks(property, at)];
  });
}

function valueAt(args: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function headerText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}
