import type { JsonObject } from '../../base/json/json.ts';
import { LEVELS, type Level, type LogReader } from '../detect/log-line.ts';
import { cutLine } from './line-budget.ts';

const MAX_LINE_LENGTH = 160;
const MAX_KINDS = 1_000;

/** Errors of one kind: the first of them, and their number. */
export interface ErrorKind {
  readonly line: number;
  readonly text: string;
  count: number;
}

export interface LogSurvey {
  /** Number of lines per level. */
  readonly levels: JsonObject;
  readonly kinds: ReadonlyMap<string, ErrorKind>;
  readonly errors: number;
  readonly firstError: number | undefined;
}

/** Counts the levels and the errors of a log. A stack trace belongs to the error above it. */
export function surveyLog<Line>(lines: readonly Line[], reader: LogReader<Line>): LogSurvey {
  const counts = new Map<Level, number>();
  const kinds = new Map<string, ErrorKind>();
  let errors = 0;
  let firstError: number | undefined;
  let isError = false;
  lines.forEach((line, index) => {
    const level = reader.level(line);
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
    else if (isError && reader.isContinuation(line)) return;
    isError = level !== undefined ? level === 'error' : reader.looksLikeError(line);
    if (!isError) return;
    errors++;
    firstError ??= index + 1;
    countKind(kinds, reader.text(line), index + 1);
  });
  const levels = LEVELS.flatMap((level) => (counts.has(level) ? [[level, counts.get(level)!] as const] : []));
  return { levels: Object.fromEntries(levels), kinds, errors, firstError };
}

/** Errors that differ only in numbers and identifiers are of one kind. */
function countKind(kinds: Map<string, ErrorKind>, text: string, line: number): void {
  const key = text.replace(/[\w-]*\d[\w-]*/g, '#');
  const kind = kinds.get(key);
  if (kind) kind.count++;
  else if (kinds.size < MAX_KINDS) kinds.set(key, { line, text: cutLine(text, MAX_LINE_LENGTH), count: 1 });
}
