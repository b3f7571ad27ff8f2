/** Whether a text looks like a table: several records of one width, and more than one cell in each. */
export function isTable(text: string, separator: string): boolean {
  const start = text.slice(0, 16_384);
  const records = recordsOf(start).slice(0, 7);
  // The last record may be cut where the sample ends.
  if (start.length < text.length) records.pop();
  const [first, ...others] = records.slice(0, 6).map((record) => cellsOf(record, separator).length);
  return first !== undefined && first >= 2 && others.length >= 2 && others.every((width) => width === first);
}

/** The records of a table, blank ones left out. A line break inside of quotes belongs to its cell (RFC 4180). */
export function recordsOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const records: string[] = [];
  let open: string[] | undefined;
  for (const line of lines) {
    const turns = hasOddQuotes(line);
    if (open) {
      open.push(line);
      if (!turns) continue;
      records.push(open.join('\n'));
      open = undefined;
    } else if (turns) open = [line];
    else if (line.trim() !== '') records.push(line);
  }
  // Quotes that never close were no quotes.
  return open ? [...records, ...open.filter((line) => line.trim() !== '')] : records;
}

function hasOddQuotes(line: string): boolean {
  let odd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

/** One record. Quoted cells may hold the separator. */
export function cellsOf(record: string, separator: string): string[] {
  const line = record.endsWith('\r') ? record.slice(0, -1) : record;
  if (!line.includes('"')) return line.split(separator);
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
  cells.push(cell);
  return cells;
}
