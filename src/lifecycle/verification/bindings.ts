import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { valueAt } from '../../base/json/pointer.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import type { Binding } from '../../contract/tool/verification.ts';

export interface Known {
  readonly args: JsonObject;
  /** What the tool answered, as data. */
  readonly result: unknown;
}

/** A result as data: its structured content, else its text parsed as JSON, else its text. */
export function dataOf({ structured, content }: Pick<ToolResult, 'structured' | 'content'>): unknown {
  if (structured !== undefined) return structured;
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function resolveBinding(binding: Binding, known: Known): unknown {
  return 'value' in binding ? binding.value : valueAt(known[binding.from], binding.at);
}

export function argumentsOf(args: Readonly<Record<string, Binding>>, known: Known): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, binding]) => [name, resolveBinding(binding, known)]),
  );
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}
