import type { ContentPart, ToolResult } from '../contract/content.ts';
import { isJsonObject } from '../contract/json.ts';
import { plainText } from '../contract/plain-text.ts';

/** A result as a model may read it: foreign text without the characters that hide or command. */
export function visibleResult(result: ToolResult): ToolResult {
  return {
    ...result,
    content: result.content.map(visiblePart),
    ...(result.structured !== undefined && { structured: visibleValue(result.structured) }),
  };
}

function visiblePart(part: ContentPart): ContentPart {
  if (part.type === 'text') return { ...part, text: plainText(part.text) };
  if (part.type === 'resource' && part.resource.text !== undefined) {
    return { ...part, resource: { ...part.resource, text: plainText(part.resource.text) } };
  }
  return part;
}

function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visibleValue(member)]));
}
