import type { NamedCell } from './columns.ts';

const ROW_START = /<tr\b[^<>]{0,300}>\s{0,40}$/i;
const TAG = /<(\/?)(table|tr|th|td)\b[^<>]{0,300}>/gi;
const CONTENT = /\s{0,40}(?:<[A-Za-z][^<>]{0,120}>\s{0,8}){0,2}([^<>]{0,2048}?)\s{0,40}</dy;
/** Text that is read without a wanted cell in it. */
const MAX_IDLE_LENGTH = 65_536;

/** Finds the cells of an HTML table by the headings of its columns. The index is that of the first heading in a row. */
export function* findHtmlCells(
  text: string,
  at: number,
  isWanted: (name: string) => boolean,
): Generator<NamedCell> {
  if (!ROW_START.test(text.slice(Math.max(0, at - 350), at))) return;
  const names: string[] = [];
  let column = 0;
  let isHead = true;
  let lastFound = at;
  TAG.lastIndex = at;
  for (let match = TAG.exec(text); match; match = TAG.exec(text)) {
    const tag = match[2]!.toLowerCase();
    const next = TAG.lastIndex;
    if (tag === 'table' || match.index - lastFound > MAX_IDLE_LENGTH) return;
    if (match[1]) continue;
    if (tag === 'tr') {
      isHead &&= names.length === 0;
      if (!names.some(isWanted)) return;
      column = 0;
      continue;
    }
    CONTENT.lastIndex = next;
    const [start, end] = CONTENT.exec(text)?.indices?.[1] ?? [0, 0];
    if (tag === 'th' && isHead) names[column] = text.slice(start, end);
    else if (end > start && isWanted(names[column] ?? '')) {
      lastFound = end;
      yield { start, end, name: names[column]! };
    }
    column++;
  }
}
