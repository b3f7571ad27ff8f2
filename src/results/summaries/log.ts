import type { JsonObject } from '../../contract/json.ts';
import { cutLine, lengthOf, linesWithin } from './room.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

const MAX_LINE_LENGTH = 160;
const MAX_KINDS = 1_000;
const TAIL_LINES = 4;
const MAX_TAIL_LINES = 100;
/** Where in a line its time and its level are looked for. */
const MAX_PREFIX_LENGTH = 160;
const TIME =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?/;
const LEVEL =
  /\b(?:(trace)|(debug)|(info|notice)|(warn(?:ing)?)|(err(?:or)?|severe|fatal|panic|crit(?:ical)?|emerg(?:ency)?))\b/i;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
const LOOKS_BAD = /\b(?:error|fatal|panic|\w*exception|fail(?:ed|ure)?|critical)\b/i;

/** Whether the lines that a text begins with carry times or levels. */
export function looksLogged(lines: readonly string[]): boolean {
  const first = lines.filter((line) => line.trim() !== '').slice(0, 20);
  const logged = first.filter((line) => {
    const start = line.slice(0, 60);
    return (
      /^.{0,40}?\d\d:\d\d:\d\d/.test(start) ||
      /^[[("]?(?:trace|debug|info|warn(?:ing)?|error|fatal)\b/i.test(start)
    );
  });
  return logged.length >= 5 && logged.length >= first.length / 2;
}

interface Kind {
  readonly line: number;
  readonly text: string;
  count: number;
}

/** How many lines of each level, from when to when, which errors, and the end. */
export function summarizeLog({ lines, facts, told }: TextExtent): Summary {
  const { levels, kinds, errors, firstError } = survey(lines);
  const [from, to] = [lines.find(hasTime), lines.findLast(hasTime)].map((line) => line && timeOf(line));
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
      error_lines: errors,
      ...(firstError !== undefined && { first_error_line: firstError }),
      ...(from && to && { first_time: from, last_time: to }),
    },
    text: (room) => {
      const title = [
        `log of ${told}${from && to ? `, ${from} to ${to}` : ''}`,
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

interface Survey {
  readonly levels: JsonObject;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly errors: number;
  readonly firstError: number | undefined;
}

function survey(lines: readonly string[]): Survey {
  const counts = new Map<string, number>();
  const kinds = new Map<string, Kind>();
  let errors = 0;
  let firstError: number | undefined;
  lines.forEach((line, index) => {
    const start = line.slice(0, MAX_PREFIX_LENGTH);
    const level = levelOf(start);
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
    if (level !== undefined ? level !== 'error' : !LOOKS_BAD.test(start)) return;
    errors++;
    firstError ??= index + 1;
    countKind(kinds, start, index + 1);
  });
  const levels = LEVELS.flatMap((level) => (counts.has(level) ? [[level, counts.get(level)!] as const] : []));
  return { levels: Object.fromEntries(levels), kinds, errors, firstError };
}

function levelOf(start: string): string | undefined {
  const found = LEVEL.exec(start);
  return found ? LEVELS[found.slice(1).findIndex((group) => group !== undefined)] : undefined;
}

/** Errors that differ in nothing but numbers and identifiers are of one kind. */
function countKind(kinds: Map<string, Kind>, start: string, line: number): void {
  const text = start.replace(TIME, '').replace(/^[\s\])|:-]+/, '');
  const key = text.replace(/[\w-]*\d[\w-]*/g, '#');
  const kind = kinds.get(key);
  if (kind) kind.count++;
  else if (kinds.size < MAX_KINDS) kinds.set(key, { line, text: cutLine(text, MAX_LINE_LENGTH), count: 1 });
}

function hasTime(line: string): boolean {
  return TIME.test(line.slice(0, MAX_PREFIX_LENGTH));
}

function timeOf(line: string): string | undefined {
  return TIME.exec(line.slice(0, MAX_PREFIX_LENGTH))?.[0];
}
