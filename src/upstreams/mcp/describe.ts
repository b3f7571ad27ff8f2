import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { ToolHints } from '../../contract/tool/tool.ts';
import { findHeaderDefect } from './connection/http/header-marks.ts';

/** Maps an MCP tool to a descriptor. Its fields are not validated here, only what Streamable HTTP of 2026 requires of them. */
export function describeTool(tool: unknown, isHttpOf2026 = false): ToolDescriptor {
  const fields: JsonObject = isJsonObject(tool) ? tool : {};
  const annotations = isJsonObject(fields.annotations) ? fields.annotations : {};
  const meta = isJsonObject(fields._meta) ? fields._meta : {};
  const execution = isJsonObject(fields.execution) ? fields.execution : {};
  const needsTask = execution.taskSupport === 'required' ? NEEDS_TASK : undefined;
  const unsupported = needsTask ?? (isHttpOf2026 ? findHeaderDefect(fields.inputSchema) : undefined);
  return {
    name: fields.name,
    title: fields.title ?? annotations.title,
    description: fields.description,
    inputSchema: fields.inputSchema,
    outputSchema: fields.outputSchema,
    version: meta.version,
    tags: meta.tags,
    hints: parseHints(annotations),
    ...(unsupported !== undefined && { unsupported }),
  };
}

/** The server answers a plain call of such a tool with an error, always. */
const NEEDS_TASK =
  'it can be called only as a task (execution.taskSupport is "required"), which the gateway does not support';

function parseHints(annotations: JsonObject): ToolHints {
  const readOnly = asBoolean(annotations.readOnlyHint);
  const destructive = asBoolean(annotations.destructiveHint);
  const idempotent = asBoolean(annotations.idempotentHint);
  const openWorld = asBoolean(annotations.openWorldHint);
  return {
    ...(readOnly !== undefined && { readOnly }),
    ...(destructive !== undefined && { destructive }),
    ...(idempotent !== undefined && { idempotent }),
    ...(openWorld !== undefined && { openWorld }),
  };
}

function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
