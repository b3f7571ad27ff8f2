/** The first pipe table of a Markdown text (GFM, section 4.10), header first; undefined where it has none. */
export function parseMarkdownTable(text: string): string[][] | undefined {
  let begin = 0;
  let header: string | undefined;
  for (;;) {
    const lineEnd = text.indexOf('\n', begin);
    const line = text.slice(begin, lineEnd === -1 ? text.length : lineEnd);
    const columns = header === undefined ? [] : cellsIn(header);
    if (columns.length > 0 && isDivider(line, columns.length)) {
      return [columns, ...(lineEnd === -1 ? [] : rowsFrom(text, lineEnd + 1))];
    }
    if (lineEnd === -1) return undefined;
    header = line.includes('|') ? line : undefined;
    begin = lineEnd + 1;
  }
}

function isDivider(line: string, columns: number): boolean {
  if (!line.includes('|') || !line.includes('-')) return false;
  const cells = cellsIn(line);
  return cells.length === columns && cells.every((cell) => /^:?-+:?$/.test(cell));
}

function rowsFrom(text: string, begin: number): string[][] {
  const rows: string[][] = [];
  for (const line of text.slice(begin).split('\n')) {
    if (!line.includes('|')) break;
    rows.push(cellsIn(line));
  }
  return rows;
}

/** A pipe behind a backslash belongs to its cell. */
function cellsIn(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
