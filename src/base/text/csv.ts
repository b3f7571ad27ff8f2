const SAMPLE_LENGTH = 16_384;
const RECORDS_LOOKED_AT = 6;
const MIN_RECORDS = 3;
const MAX_NAME_LENGTH = 64;
/** A word of a header: no sentence, call, member or assignment. A unit may stand behind it, as in `price (EUR)`. */
const NAME = /^[\p{L}\p{N}_#%$@][^:;=(){}[\]<>"]*(?:\([^()]*\))?$/u;

/** Whether a text looks like a table: several records of one width, more than one cell in each. */
export function isTable(text: string, separator: string): boolean {
  const [first = [], ...others] = sampleOf(text, separator);
  const isRegular = others.every((cells) => cells.length === first.length);
  return first.length >= 2 && others.length + 1 >= MIN_RECORDS && isRegular;
}

/** Whether a text begins with what names the columns of a table. Many a text has one comma in each of its lines. */
export function hasHeader(text: string, separator: string): boolean {
  const [cells = []] = sampleOf(text, separator);
  const [first, ...others] = cells;
  // What numbers the rows often has no name.
  const begins = first !== undefined && (isName(first) || (first === '' && others.length > 1));
  return begins && /^\D|^$/.test(first) && others.every(isName) && new Set(cells).size === cells.length;
}

function isName(cell: string): boolean {
  return cell.length <= MAX_NAME_LENGTH && cell === cell.trimEnd() && NAME.test(cell);
}

function sampleOf(text: string, separator: string): string[][] {
  const start = text.slice(0, SAMPLE_LENGTH);
  const records = recordsOf(start).slice(0, RECORDS_LOOKED_AT + 1);
  // The last record may be cut where the sample ends.
  if (start.length < text.length) records.pop();
  return records.slice(0, RECORDS_LOOKED_AT).map((record) => cellsOf(record, separator));
}

/** Semicolons are what spreadsheets write where a comma is for decimals. */
const CSV_SEPARATORS = [';', ','];

/** What separates the cells of a CSV text. */
export function csvSeparatorOf(text: string): string {
  const regular = CSV_SEPARATORS.filter((separator) => isTable(text, separator));
  return regular.find((separator) => hasHeader(text, separator)) ?? regular[0] ?? ',';
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
