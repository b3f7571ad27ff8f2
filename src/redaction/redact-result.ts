import type { JsonObject } from '../base/json/json.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import { hasMarks, type Marked, redactBySchema, redactTextBySchema } from './by-schema/redact-by-schema.ts';
import { makeRedactor, type Redactor, redactParts } from './redact-part.ts';
import type { RuleSet } from './rule-set.ts';
import { makeKnownValuesRule } from './rules/known-values.ts';

/**
 * Redacts the secrets that the rules find and the values that the output schema marks as sensitive. It runs before the
 * result is shown, summarized or stored, so that no later output can omit it.
 */
export async function redactResult(
  result: ToolResult,
  rules: RuleSet,
  outputSchema: JsonObject | undefined,
): Promise<ToolResult> {
  if (!outputSchema || !hasMarks(outputSchema)) return applyRedactor(makeRedactor(rules), result);
  const marked: Marked = new Map();
  const unmarked = await applyRedactor(makeSchemaRedactor(outputSchema, marked), result);
  // A marked value may occur elsewhere in the result too, for example in a sentence or a resource.
  const known = makeKnownValuesRule(marked);
  return applyRedactor(
    makeRedactor(known ? { ...rules, custom: [...rules.custom, known] } : rules),
    unmarked,
  );
}

async function applyRedactor(
  redactor: Redactor,
  { content, structured, ...rest }: ToolResult,
): Promise<ToolResult> {
  const parts = await redactParts(content, redactor);
  if (structured === undefined) return { ...rest, content: parts };
  return { ...rest, content: parts, structured: await redactor.redactStructured(structured) };
}

/** Most servers repeat the structured content as text; values marked in one must not remain in the other. */
function makeSchemaRedactor(schema: JsonObject, marked: Marked): Redactor {
  return {
    redactText: async (text) => redactTextBySchema(text, schema, marked).text,
    redactExtras: async (value) => value,
    redactStructured: async (value) => redactBySchema(value, schema, marked).value,
  };
}
