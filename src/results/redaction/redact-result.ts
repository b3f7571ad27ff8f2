import type { ContentPart, ToolResult } from '../../contract/content.ts';
import type { JsonObject } from '../../contract/json.ts';
import { redactBySchema } from './redact-by-schema.ts';
import { redactInTurns } from './redact-in-turns.ts';
import { redactJson } from './redact-json.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * A result without its secrets: those that look like one, and those that the output schema marks. Before anything of it
 * is shown, summarized or kept, so that no later way out can forget.
 */
export async function redactResult(
  { content, structured, ...rest }: ToolResult,
  rules: RuleSet,
  outputSchema: JsonObject | undefined,
): Promise<ToolResult> {
  const clean: ContentPart[] = [];
  for (const part of content) clean.push(await redactPart(part, rules, outputSchema));
  if (structured === undefined) return { ...rest, content: clean };
  return { ...rest, content: clean, structured: redactJson(marked(structured, outputSchema), rules).value };
}

async function redactPart(
  part: ContentPart,
  rules: RuleSet,
  schema: JsonObject | undefined,
): Promise<ContentPart> {
  switch (part.type) {
    case 'text':
      return withText(part, await redactInTurns(markedText(part.text, schema), rules));
    case 'resource': {
      const { text } = part.resource;
      if (text === undefined) return part;
      return { ...part, resource: withText({ ...part.resource, text }, await redactInTurns(text, rules)) };
    }
    case 'resource_link':
      return redactJson(part, rules).value as ContentPart;
    default:
      return part;
  }
}

function withText<Holder extends { readonly text: string }>(holder: Holder, text: string): Holder {
  return text === holder.text ? holder : { ...holder, text };
}

function marked(value: unknown, schema: JsonObject | undefined): unknown {
  return schema ? redactBySchema(value, schema).value : value;
}

/** Most servers send their structure as text too, and what is marked in one must not stand in the other. */
function markedText(text: string, schema: JsonObject | undefined): string {
  if (!schema) return text;
  try {
    const value: unknown = JSON.parse(text);
    const { value: clean } = redactBySchema(value, schema);
    return clean === value ? text : JSON.stringify(clean);
  } catch {
    return text;
  }
}
