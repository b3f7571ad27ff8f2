/** What a text is, told from the text alone: upstreams rarely say. */
export function mediaTypeOfText(text: string): string {
  const start = text.trimStart()[0];
  if (start === '{' || start === '[') {
    try {
      JSON.parse(text);
      return 'application/json';
    } catch {
      return 'text/plain';
    }
  }
  return tableTypeOf(text) ?? 'text/plain';
}

const TABLE_TYPES = [
  ['\t', 'text/tab-separated-values'],
  [',', 'text/csv'],
] as const;

function tableTypeOf(text: string): string | undefined {
  const lines = text
    .slice(0, 16_384)
    .split('\n', 7)
    .filter((line) => line.trim() !== '')
    .slice(0, 6);
  if (lines.length < 3) return undefined;
  for (const [separator, type] of TABLE_TYPES) {
    const widths = lines.map((line) => splitRow(line, separator).length);
    if (widths[0]! >= 2 && widths.every((width) => width === widths[0])) return type;
  }
  return undefined;
}

/** One line of a table. Quoted cells may hold the separator. */
export function splitRow(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (quoted && character === '"' && line[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  cells.push(cell.replace(/\r$/, ''));
  return cells;
}
