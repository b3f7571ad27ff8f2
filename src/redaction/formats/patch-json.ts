import { skipSpace, skipString, skipValue } from '../../base/json/scan.ts';

interface Patch {
  readonly text: string;
  at: number;
  readonly pieces: string[];
  /** End of the text that the pieces already cover. */
  copied: number;
}

/**
 * Writes changed values into the text of a document and keeps everything else as it is, such as layout and numbers
 * beyond the precision of a JavaScript number. Unchanged parts of `changed` must be the same objects as in `value`.
 */
export function patchJson(text: string, value: unknown, changed: unknown): string {
  const patch: Patch = { text, at: 0, pieces: [], copied: 0 };
  patchValue(patch, value, changed);
  return patch.pieces.join('') + text.slice(patch.copied);
}

function patchValue(patch: Patch, value: unknown, changed: unknown): void {
  const { text } = patch;
  const start = skipSpace(text, patch.at);
  patch.at = start;
  if (value !== changed && isContainer(value) && isContainer(changed) && /[[{]/.test(text[start]!)) {
    patchMembers(patch, value, changed);
    return;
  }
  patch.at = skipValue(text, start)!;
  if (value === changed) return;
  patch.pieces.push(text.slice(patch.copied, start), JSON.stringify(changed));
  patch.copied = patch.at;
}

function patchMembers(patch: Patch, value: Container, changed: Container): void {
  const { text } = patch;
  const isObject = text[patch.at] === '{';
  const end = isObject ? '}' : ']';
  for (let index = 0; text[patch.at] !== end; index++) {
    patch.at = skipSpace(text, patch.at + 1);
    if (text[patch.at] === end) break;
    const key = isObject ? readName(patch) : String(index);
    patchValue(patch, value[key], changed[key]);
    patch.at = skipSpace(text, patch.at);
  }
  patch.at++;
}

function readName(patch: Patch): string {
  const end = skipString(patch.text, patch.at)!;
  const name = JSON.parse(patch.text.slice(patch.at, end)) as string;
  patch.at = skipSpace(patch.text, end) + 1;
  return name;
}

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
