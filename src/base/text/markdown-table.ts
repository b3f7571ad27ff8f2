/** Parses the first pipe table of a Markdown text (GFM, section 4.10), header first; undefined if there is none. */
export function parseMarkdownTable(text: string): string[][] | undefined {
  let begin = 0;
  let header: string | undefined;
  for (;;) {
    const lineEnd = text.indexOf('\n', begin);
    const line = text.slice(begin, lineEnd === -1 ? text.length : lineEnd);
    const columns = header === undefined ? [] : splitCells(header);
    if (columns.length > 0 && isDelimiterRow(line, columns.length)) {
      return [columns, ...(lineEnd === -1 ? [] : parseRows(text, lineEnd + 1))];
    }
    if (lineEnd === -1) return undefined;
    header = line.includes('|') ? line : undefined;
    begin = lineEnd + 1;
  }
}

function isDelimiterRow(line: string, columns: number): boolean {
  if (!line.includes('|') || !line.includes('-')) return false;
  const cells = splitCells(line);
  return cells.length === columns && cells.every((cell) => /^:?-+:?$/.test(cell));
}

function parseRows(text: string, begin: number): string[][] {
  const rows: string[][] = [];
  for (const line of text.slice(begin).split('\n')) {
    if (!line.includes('|')) break;
    rows.push(splitCells(line));
  }
  return rows;
}

/** A pipe after a backslash belongs to its cell. */
function splitCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
