import type { JsonObject } from '../base/json/json.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import { hasMarks, type Marked, redactBySchema, redactTextBySchema } from './by-schema/redact-by-schema.ts';
import { type Redactor, redactorBy, redactPart } from './redact-part.ts';
import type { RuleSet } from './rule-set.ts';
import { knownValues } from './rules/known-values.ts';

/**
 * A result without its secrets: those that look like one, and those that the output schema marks. Before anything of it
 * is shown, summarized or kept, so that no later way out can forget.
 */
export async function redactResult(
  result: ToolResult,
  rules: RuleSet,
  outputSchema: JsonObject | undefined,
): Promise<ToolResult> {
  if (!outputSchema || !hasMarks(outputSchema)) return redactedBy(redactorBy(rules), result);
  const marked: Marked = new Map();
  const unmarked = await redactedBy(schemaRedactor(outputSchema, marked), result);
  // What is marked in one place may be told in another, in a sentence or in a resource.
  const known = knownValues(marked);
  return redactedBy(redactorBy(known ? { ...rules, custom: [...rules.custom, known] } : rules), unmarked);
}

async function redactedBy(
  redactor: Redactor,
  { content, structured, ...rest }: ToolResult,
): Promise<ToolResult> {
  const parts = [];
  for (const part of content) parts.push(await redactPart(part, redactor));
  if (structured === undefined) return { ...rest, content: parts };
  return { ...rest, content: parts, structured: await redactor.structured(structured) };
}

/** Most servers send their structure as text too, and what is marked in one must not stand in the other. */
function schemaRedactor(schema: JsonObject, marked: Marked): Redactor {
  return {
    text: async (text) => redactTextBySchema(text, schema, marked).text,
    extras: async (value) => value,
    structured: async (value) => redactBySchema(value, schema, marked).value,
  };
}
