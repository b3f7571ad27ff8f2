import { MAX_PARSED_LENGTH } from '../../base/json/parse.ts';

/** How long a text is. Of what is very long the start is read, and its lines are not counted. */
export interface TextExtent {
  readonly lines: readonly string[];
  /** One of the two is enough: how many bytes it has is told with its handle. */
  readonly facts: { readonly lines: number } | { readonly characters: number };
  readonly describe: string;
}

export function textExtent(text: string): TextExtent {
  const lines = text.slice(0, MAX_PARSED_LENGTH).split('\n');
  const { length: characters } = text;
  if (characters > MAX_PARSED_LENGTH) {
    return {
      lines,
      facts: { characters },
      describe: `${characters} characters, of which the start was read`,
    };
  }
  return { lines, facts: { lines: lines.length }, describe: `${lines.length} lines` };
}
