import { isJsonObject } from '../../base/json/json.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** What the lines of a log tell, as people read them or as objects that programs write. */
export interface LogReader<Line> {
  level(line: Line): Level | undefined;
  time(line: Line): string | undefined;
  /** What happened, without the time. */
  text(line: Line): string;
  /** Whether a line without a level tells of an error. */
  looksBad(line: Line): boolean;
  /** Whether a line belongs to the one above it. */
  isTrace(line: Line): boolean;
}

/** Where in a line its time and its level are looked for. */
const MAX_PREFIX_LENGTH = 160;
const TIME =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?/;
const LEVEL =
  /\b(?:(trace)|(debug)|(info|notice)|(warn(?:ing)?)|(err(?:or)?|severe|fatal|panic|crit(?:ical)?|emerg(?:ency)?))\b/i;

/** The last is how a server's access log tells of an answer that was its fault. */
const LOOKS_BAD = /\b(?:error|fatal|panic|\w*exception|fail(?:ed|ure)?|critical)\b|" 5\d\d(?: |$)/i;
/** A line of a stack trace, or one that goes on for another reason. */
const CONTINUES = /^\s|^(?:Caused by|Suppressed|Traceback|[\w$.]+(?:Exception|Error)(?::|$))/;

export const PLAIN_LINES: LogReader<string> = {
  level: (line) => (isTrace(line) ? undefined : levelIn(line.slice(0, MAX_PREFIX_LENGTH))),
  time: (line) => TIME.exec(line.slice(0, MAX_PREFIX_LENGTH))?.[0],
  text: (line) =>
    line
      .slice(0, MAX_PREFIX_LENGTH)
      .replace(TIME, '')
      .replace(/^[\s\])|:-]+/, ''),
  looksBad: (line) => LOOKS_BAD.test(line.slice(0, MAX_PREFIX_LENGTH)),
  isTrace,
};

function isTrace(line: string): boolean {
  return CONTINUES.test(line) && !isLogged(line);
}

function levelIn(text: string): Level | undefined {
  const found = LEVEL.exec(text);
  return found ? LEVELS[found.slice(1).findIndex((group) => group !== undefined)] : undefined;
}

const LEVEL_NAMES = ['level', 'severity', 'lvl', 'levelname', 'log.level', 'loglevel'];
const TIME_NAMES = ['time', 'timestamp', '@timestamp', 'ts', 'at', 'date'];
const TEXT_NAMES = ['msg', 'message', 'event', 'error', 'err'];

export const JSON_LINES: LogReader<unknown> = {
  level: (entry) => (isJsonObject(entry) ? levelOf(memberOf(entry, LEVEL_NAMES)) : undefined),
  time: (entry) => {
    const time = isJsonObject(entry) ? memberOf(entry, TIME_NAMES) : undefined;
    return typeof time === 'string' || typeof time === 'number' ? String(time).slice(0, 40) : undefined;
  },
  text: (entry) => {
    const text = isJsonObject(entry) ? memberOf(entry, TEXT_NAMES) : entry;
    return (typeof text === 'string' ? text : JSON.stringify(entry)).slice(0, MAX_PREFIX_LENGTH);
  },
  looksBad: (entry) => typeof entry === 'string' && PLAIN_LINES.looksBad(entry),
  isTrace: (entry) => typeof entry === 'string' && isTrace(entry),
};

/** By word, or by number as Bunyan and Pino have it: 10 is the least, 60 the worst. */
function levelOf(value: unknown): Level | undefined {
  if (typeof value === 'string') return levelIn(value);
  if (typeof value !== 'number') return undefined;
  return LEVELS[Math.min(Math.floor(value / 10), LEVELS.length) - 1];
}

function memberOf(entry: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(entry, candidate));
  return name === undefined ? undefined : entry[name];
}

const LINES_LOOKED_AT = 200;
const LOGGED_LINES_LOOKED_AT = 20;
const MIN_LOGGED = 5;

/** Whether a line carries a time or a level where logs have them. */
export function isLogged(line: string): boolean {
  const start = line.slice(0, 120);
  return (
    /^.{0,80}?\d\d:\d\d:\d\d/.test(start) ||
    /^[[("<]?(?:trace|debug|info|warn(?:ing)?|error|fatal|critical)\b/i.test(start) ||
    /\b(?:level|lvl|severity)=/.test(start)
  );
}

/** Whether the lines that a text begins with are those of a log. */
export function looksLogged(lines: readonly string[]): boolean {
  const first = lines
    .slice(0, LINES_LOOKED_AT)
    .filter((line) => line.trim() !== '' && !isTrace(line))
    .slice(0, LOGGED_LINES_LOOKED_AT);
  const logged = first.filter(isLogged);
  return logged.length >= MIN_LOGGED && logged.length >= first.length / 2;
}

/** The same of lines that are objects: most say how bad it is, and when or what it was. */
export function looksLoggedAsJson(entries: readonly unknown[]): boolean {
  const first = entries.slice(0, LOGGED_LINES_LOOKED_AT).filter(isJsonObject);
  const logged = first.filter(
    (entry) =>
      JSON_LINES.level(entry) !== undefined && memberOf(entry, [...TIME_NAMES, ...TEXT_NAMES]) !== undefined,
  );
  return logged.length > first.length / 2;
}
