import { isUnmistakable } from '../rules/named-secret/nearby-value.ts';
import { hasRandomRun } from '../rules/named-secret/secret-value.ts';
import type { NamedCell } from './columns.ts';

const HEADER =
  /^[ \t]{0,8}[A-Z][A-Z0-9_./()-]*(?: [A-Z0-9_./()-]+)*(?: {2,}[A-Z][A-Z0-9_./()-]*(?: [A-Z0-9_./()-]+)*)+[ \t]*$/;
const COLUMN = /[A-Z][A-Z0-9_./()-]*(?: [A-Z0-9_./()-]+)*/g;
const MAX_HEADER_LENGTH = 512;

interface Column {
  readonly name: string;
  readonly offset: number;
}

/**
 * Finds the cells below wanted names in tables that command-line tools align with spaces. A column named `SECRET` often
 * has the names of secrets, so a cell must look generated.
 */
export function* findAlignedCells(text: string, isWanted: (name: string) => boolean): Generator<NamedCell> {
  let columns: readonly Column[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    if (/^\s*$/.test(line)) columns = [];
    else if (line.length <= MAX_HEADER_LENGTH && HEADER.test(line)) columns = readColumns(line, isWanted);
    else
      for (const { name, offset } of columns) {
        const cell = /^\S+/.exec(line.slice(offset))?.[0];
        if (cell === undefined || (offset > 0 && line[offset - 1] !== ' ')) continue;
        if (hasRandomRun(cell) || isUnmistakable(cell))
          yield { start: start + offset, end: start + offset + cell.length, name };
      }
    start = end + 1;
  }
}

function readColumns(header: string, isWanted: (name: string) => boolean): readonly Column[] {
  return Array.from(header.matchAll(COLUMN), ({ 0: name, index }) => ({ name, offset: index })).filter(
    ({ name }) => isWanted(name),
  );
}
