import Papa from 'papaparse';
import { isCostlyCsv } from './csv-cost.ts';

type Config = { readonly delimiter: string; readonly newline?: '\n' };

/**
 * Parses CSV or TSV (RFC 4180) into rows of cells, header first, without blank lines. A quote is text where it stands
 * inside of an unquoted cell, and where it never closes.
 */
export function parseCsv(text: string, separator: string): string[][] {
  const config = configFor(text, separator);
  // papaparse accepts blanks between a closing quote and a line end, but not between it and the end of the text.
  const input = config.newline && !text.endsWith('\n') ? `${withoutBom(text)}\n` : withoutBom(text);
  if (!input.includes('"') || isCostlyCsv(input, separator))
    return finishRows(splitRows(input, config), config);
  const { data: rows, errors } = Papa.parse<string[]>(input, config);
  const lastError = errors.at(-1);
  if (lastError?.code === 'MissingQuotes') {
    const [first = [], ...others] = splitRows(input.slice(lastError.index! - 1), config);
    rows.push([...rows.pop()!.slice(0, -1), ...first]);
    for (const row of others) rows.push(row);
  }
  return finishRows(rows, config);
}

/** Parses the start of a longer text. The last row may be cut, so it is left out. */
export function parseCsvStart(start: string, separator: string): string[][] {
  const config = configFor(start, separator);
  const input = withoutBom(start);
  const rows = isCostlyCsv(input, separator)
    ? splitRows(input, config)
    : Papa.parse<string[]>(input, config).data;
  return finishRows(rows.slice(0, -1), config);
}

/** Line ends may be mixed, so `\r` is trimmed from the last cell. Where a quoted cell may end with `\r`, papaparse decides. */
function configFor(text: string, separator: string): Config {
  return { delimiter: separator, ...(!text.includes('\r"') && { newline: '\n' }) };
}

function withoutBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Splits at every separator and line end, also inside of quotes. Blank lines would take far more memory as rows. */
function splitRows(text: string, config: Config): string[][] {
  const input = text.includes('\n\n') ? text.replaceAll(/\n[ \r\n]*\n/g, '\n') : text;
  return Papa.parse<string[]>(input, { ...config, fastMode: true }).data;
}

function finishRows(rows: readonly string[][], { newline }: Config): string[][] {
  if (newline) for (const row of rows) trimCarriageReturn(row);
  return rows.filter((row) => row.length > 1 || row[0]!.trim() !== '');
}

function trimCarriageReturn(row: string[]): void {
  const last = row.length - 1;
  if (row[last]!.endsWith('\r')) row[last] = row[last]!.slice(0, -1);
}
