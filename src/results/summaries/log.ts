import type { LogReader } from '../detect/log-line.ts';
import { cutLine, lengthOf, linesWithin } from './line-budget.ts';
import { surveyLog } from './log-survey.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

const MAX_LINE_LENGTH = 160;
const TAIL_LINES = 4;
const MAX_TAIL_LINES = 100;

/** How many lines of each level, from when to when, which errors, and the end. */
export function summarizeLog<Line>(
  { lines, facts, describe }: TextExtent,
  { read, reader }: { readonly read: readonly Line[]; readonly reader: LogReader<Line> },
): Summary {
  const { levels, kinds, errors, firstError } = surveyLog(read, reader);
  const from = timeIn(read, reader);
  const to = timeIn(read.toReversed(), reader);
  const tail = lines
    .slice(-MAX_TAIL_LINES)
    .filter((line) => line.trim() !== '')
    .slice(-TAIL_LINES);
  const byCount = [...kinds.values()].sort((a, b) => b.count - a.count || a.line - b.line);
  return {
    facts: {
      format: 'log',
      ...facts,
      levels,
      // Most logs name the level of every error.
      ...(errors !== (levels.error ?? 0) && { error_lines: errors }),
      ...(firstError !== undefined && { first_error_line: firstError }),
    },
    text: (room) => {
      const title = [
        `log of ${describe}${from && to ? `, ${from} to ${to}` : ''}`,
        Object.entries(levels)
          .map(([level, count]) => `${level} ${count}`)
          .join(', '),
        errors === 0 ? 'no line looks like an error' : `errors by kind, the first in line ${firstError}:`,
      ].filter((line) => line !== '');
      const end = ['end:', ...lastWithin(tail, room / 4)];
      const errorLines = byCount.map(
        ({ line, text, count }) => `${line}${count > 1 ? ` ×${count}` : ''}: ${text}`,
      );
      const left = room - lengthOf([...title, ...end]);
      return [...title, ...(errors > 0 ? linesWithin(errorLines, left) : []), ...end].join('\n');
    },
  };
}

function lastWithin(lines: readonly string[], room: number): string[] {
  return linesWithin(lines.map((line) => cutLine(line, MAX_LINE_LENGTH)).reverse(), room).reverse();
}

/** The first time that the lines have. */
function timeIn<Line>(lines: readonly Line[], reader: LogReader<Line>): string | undefined {
  for (const line of lines) {
    const time = reader.time(line);
    if (time !== undefined) return time;
  }
  return undefined;
}
