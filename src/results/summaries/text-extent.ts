import { MAX_PARSED_LENGTH } from '../../base/json/parse.ts';

/** The length of a text. Only the start of a very long text is read, and its lines are not counted. */
export interface TextExtent {
  readonly lines: readonly string[];
  /** One of the two is enough, because the handle comes with the number of bytes. */
  readonly facts: { readonly lines: number } | { readonly characters: number };
  readonly label: string;
}

export function textExtent(text: string): TextExtent {
  const lines = text.slice(0, MAX_PARSED_LENGTH).split('\n');
  const { length: characters } = text;
  if (characters > MAX_PARSED_LENGTH) {
    return {
      lines,
      facts: { characters },
      label: `${characters} characters, only the start was read`,
    };
  }
  return { lines, facts: { lines: lines.length }, label: `${lines.length} lines` };
}
