import type { LogReader } from '../detect/log-line.ts';
import { cutLine, lengthOf, takeLines } from './line-budget.ts';
import { type LogSurvey, surveyLog } from './log-survey.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

const MAX_LINE_LENGTH = 160;
const TAIL_LINES = 4;
const MAX_TAIL_LINES = 100;

/** Shows the number of lines per level, the first and last time, the errors, and the last lines. */
export function summarizeLog<Line>(
  { lines, facts, label }: TextExtent,
  { entries, reader }: { readonly entries: readonly Line[]; readonly reader: LogReader<Line> },
): Summary {
  const survey = surveyLog(entries, reader);
  const { levels, errors, firstError } = survey;
  const title = titleLines(`log of ${label}${timeRange(entries, reader)}`, survey);
  const errorLines = describeErrors(survey);
  const tail = lastLines(lines);
  return {
    facts: {
      format: 'log',
      ...facts,
      levels,
      // Most logs have a level for every error, and then the number is in `levels`.
      ...(errors !== (levels.error ?? 0) && { error_lines: errors }),
      ...(firstError !== undefined && { first_error_line: firstError }),
    },
    text: (maxLength) => {
      const end = ['end:', ...takeLines(tail.toReversed(), maxLength / 4).reverse()];
      const left = maxLength - lengthOf([...title, ...end]);
      return [...title, ...(errors > 0 ? takeLines(errorLines, left) : []), ...end].join('\n');
    },
  };
}

function titleLines(title: string, { levels, errors, firstError }: LogSurvey): string[] {
  const counts = Object.entries(levels).map(([level, count]) => `${level} ${count}`);
  return [
    title,
    ...(counts.length > 0 ? [counts.join(', ')] : []),
    errors === 0 ? 'no line looks like an error' : `errors by kind, the first in line ${firstError}:`,
  ];
}

function timeRange<Line>(entries: readonly Line[], reader: LogReader<Line>): string {
  const from = firstTime(entries, reader);
  const to = firstTime(entries.toReversed(), reader);
  return from && to ? `, ${from} to ${to}` : '';
}

function firstTime<Line>(entries: readonly Line[], reader: LogReader<Line>): string | undefined {
  for (const entry of entries) {
    const time = reader.time(entry);
    if (time !== undefined) return time;
  }
  return undefined;
}

/** The most frequent kinds first. */
function describeErrors({ kinds }: LogSurvey): string[] {
  return [...kinds.values()]
    .sort((a, b) => b.count - a.count || a.line - b.line)
    .map(({ line, text, count }) => `${line}${count > 1 ? ` ×${count}` : ''}: ${text}`);
}

function lastLines(lines: readonly string[]): string[] {
  return lines
    .slice(-MAX_TAIL_LINES)
    .filter((line) => line.trim() !== '')
    .slice(-TAIL_LINES)
    .map((line) => cutLine(line, MAX_LINE_LENGTH));
}
