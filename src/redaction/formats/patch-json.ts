import { afterSpace, afterString, afterValue } from './json-text.ts';

interface Writer {
  readonly text: string;
  at: number;
  readonly pieces: string[];
  /** Up to here the text stands in the pieces. */
  copied: number;
}

/**
 * The text of a document with what was changed in its value, and as it was in all else: its layout, and numbers that no
 * value can hold. `changed` shares with `value` whatever is the same in both.
 */
export function patchJson(text: string, value: unknown, changed: unknown): string {
  const writer: Writer = { text, at: 0, pieces: [], copied: 0 };
  rewrite(writer, value, changed);
  return writer.pieces.join('') + text.slice(writer.copied);
}

function rewrite(writer: Writer, value: unknown, changed: unknown): void {
  const { text } = writer;
  const start = afterSpace(text, writer.at);
  writer.at = start;
  if (value !== changed && isHolder(value) && isHolder(changed) && /[[{]/.test(text[start]!)) {
    rewriteMembers(writer, value, changed);
    return;
  }
  writer.at = afterValue(text, start);
  if (value === changed) return;
  writer.pieces.push(text.slice(writer.copied, start), JSON.stringify(changed));
  writer.copied = writer.at;
}

function rewriteMembers(writer: Writer, value: Holder, changed: Holder): void {
  const { text } = writer;
  const isObject = text[writer.at] === '{';
  const end = isObject ? '}' : ']';
  for (let index = 0; text[writer.at] !== end; index++) {
    writer.at = afterSpace(text, writer.at + 1);
    if (text[writer.at] === end) break;
    const key = isObject ? takeName(writer) : String(index);
    rewrite(writer, value[key], changed[key]);
    writer.at = afterSpace(text, writer.at);
  }
  writer.at++;
}

function takeName(writer: Writer): string {
  const end = afterString(writer.text, writer.at)!;
  const name = JSON.parse(writer.text.slice(writer.at, end)) as string;
  writer.at = afterSpace(writer.text, end) + 1;
  return name;
}

type Holder = Readonly<Record<string, unknown>>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}
