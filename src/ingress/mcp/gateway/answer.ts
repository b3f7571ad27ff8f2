import type { CallToolResult } from '@modelcontextprotocol/server';
import { CALL_KEYS } from '../../../contract/call/meta-keys.ts';

/**
 * An answer of a meta-tool. A model reads its content only: some clients show `structuredContent` instead of the
 * content and others show both, so the structured form is in `_meta`.
 */
export interface Answer extends CallToolResult {
  /** The same facts for programs. Absent where an upstream's result passes whole. */
  readonly structured?: Readonly<Record<string, unknown>>;
}

/** Encodes an answer. The structured form is also in `structuredContent` where the caller asked for it. */
export function encodeAnswer(answer: Answer, isRequested: boolean): CallToolResult {
  if (!answer.structured) return answer;
  const { structured, ...result } = answer;
  return {
    ...result,
    ...(isRequested && { structuredContent: structured }),
    _meta: { ...result._meta, [CALL_KEYS.structured]: structured },
  };
}

/** One line per member: text as it is, everything else as JSON. Shorter than JSON, and as easy to read. */
export function memberLines(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) => {
    const isLine = typeof value === 'string' && !value.includes('\n');
    return `${name}: ${isLine ? value : JSON.stringify(value)}`;
  });
}
