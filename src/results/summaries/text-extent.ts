import { MAX_PARSED_LENGTH } from '../media-type.ts';

/** How long a text is. Of what is very long the start is read, and its lines are not counted. */
export interface TextExtent {
  readonly lines: readonly string[];
  readonly facts: { readonly lines?: number; readonly characters: number };
  readonly told: string;
}

export function textExtent(text: string): TextExtent {
  const lines = text.slice(0, MAX_PARSED_LENGTH).split('\n');
  const { length: characters } = text;
  if (characters > MAX_PARSED_LENGTH) {
    return { lines, facts: { characters }, told: `${characters} characters, of which the start was read` };
  }
  return { lines, facts: { lines: lines.length, characters }, told: `${lines.length} lines` };
}
