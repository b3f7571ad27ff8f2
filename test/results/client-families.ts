/** What a model reads of an answer, by how its client treats `content` and `structuredContent`. */
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/server';

export const CLIENT_FAMILIES = ['text only', 'structure instead', 'both', 'both, once'] as const;

export type ClientFamily = (typeof CLIENT_FAMILIES)[number];

/** The text that reaches the model. Images and other binary parts are shown by their type. */
export function modelView(
  family: ClientFamily,
  { content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>,
): string {
  const texts = content.map((part) => ('text' in part ? part.text : `[${part.type}]`));
  if (structuredContent === undefined || family === 'text only') return texts.join('\n');
  const structure = JSON.stringify(structuredContent);
  if (family === 'structure instead') return structure;
  const isRepeated = family === 'both, once' && texts.some((text) => isSameJson(text, structuredContent));
  return [...texts, ...(isRepeated ? [] : [structure])].join('\n');
}

function isSameJson(text: string, structure: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structure);
  } catch {
    return false;
  }
}
