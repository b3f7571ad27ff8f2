import { canonicalJson } from '../base/json/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';

const MAX_COMPARED_LENGTH = 262_144;

/**
 * Whether the structured content only repeats the text of a result. Most servers send the same document twice, and some
 * wrap the text in an object with one member, as in `{"content": "…"}`.
 */
export function repeatsText({ content, structured }: ToolResult): boolean {
  if (structured === undefined) return false;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [structured, ...onlyMember(structured)].some((value) => isAmong(texts, value));
}

function onlyMember(value: unknown): readonly unknown[] {
  const names = isJsonObject(value) ? Object.keys(value) : [];
  return names.length === 1 ? [(value as JsonObject)[names[0]!]] : [];
}

/** Whether one of the texts is this value, as it is or as JSON in any layout. */
function isAmong(texts: readonly string[], value: unknown): boolean {
  if (typeof value === 'string') return texts.includes(value);
  if (texts.includes(JSON.stringify(value))) return true;
  let canonical: string | undefined;
  return texts.some((text) => {
    if (text.length > MAX_COMPARED_LENGTH) return false;
    try {
      const document: unknown = JSON.parse(text);
      canonical ??= canonicalJson(value);
      return canonicalJson(document) === canonical;
    } catch {
      return false;
    }
  });
}
