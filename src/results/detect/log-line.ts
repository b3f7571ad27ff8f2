import { isJsonObject } from '../../base/json/json.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Reads the lines of a log: plain text, or JSON objects. */
export interface LogReader<Line> {
  level(line: Line): Level | undefined;
  time(line: Line): string | undefined;
  /** The message, without the time. */
  text(line: Line): string;
  /** Whether a line without a level reports an error. */
  looksLikeError(line: Line): boolean;
  /** Whether a line belongs to the entry above it. */
  isContinuation(line: Line): boolean;
}

/** The part of a line in which the time and the level are searched (characters). */
const MAX_PREFIX_LENGTH = 160;
const TIME =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?/;
const LEVEL =
  /\b(?:(trace)|(debug)|(info|notice)|(warn(?:ing)?)|(err(?:or)?|severe|fatal|panic|crit(?:ical)?|emerg(?:ency)?))\b/i;

/** The last alternative is a 5xx status in an access log. */
const ERROR_SIGNS = /\b(?:error|fatal|panic|\w*exception|fail(?:ed|ure)?|critical)\b|" 5\d\d(?: |$)/i;
/** A line of a stack trace, or an indented line. */
const CONTINUATION = /^\s|^(?:Caused by|Suppressed|Traceback|[\w$.]+(?:Exception|Error)(?::|$))/;

export const PLAIN_LOG: LogReader<string> = {
  level: (line) => (isContinuation(line) ? undefined : findLevel(line.slice(0, MAX_PREFIX_LENGTH))),
  time: (line) => TIME.exec(line.slice(0, MAX_PREFIX_LENGTH))?.[0],
  text: (line) =>
    line
      .slice(0, MAX_PREFIX_LENGTH)
      .replace(TIME, '')
      .replace(/^[\s\])|:-]+/, ''),
  looksLikeError: (line) => ERROR_SIGNS.test(line.slice(0, MAX_PREFIX_LENGTH)),
  isContinuation,
};

function isContinuation(line: string): boolean {
  return CONTINUATION.test(line) && !isLogLine(line);
}

function findLevel(text: string): Level | undefined {
  const found = LEVEL.exec(text);
  return found ? LEVELS[found.slice(1).findIndex((group) => group !== undefined)] : undefined;
}

const LEVEL_NAMES = ['level', 'severity', 'lvl', 'levelname', 'log.level', 'loglevel'];
const TIME_NAMES = ['time', 'timestamp', '@timestamp', 'ts', 'at', 'date'];
const TEXT_NAMES = ['msg', 'message', 'event', 'error', 'err'];

export const JSON_LOG: LogReader<unknown> = {
  level: (entry) => (isJsonObject(entry) ? levelOf(memberOf(entry, LEVEL_NAMES)) : undefined),
  time: (entry) => {
    const time = isJsonObject(entry) ? memberOf(entry, TIME_NAMES) : undefined;
    return typeof time === 'string' || typeof time === 'number' ? String(time).slice(0, 40) : undefined;
  },
  text: (entry) => {
    const text = isJsonObject(entry) ? memberOf(entry, TEXT_NAMES) : entry;
    return (typeof text === 'string' ? text : JSON.stringify(entry)).slice(0, MAX_PREFIX_LENGTH);
  },
  looksLikeError: (entry) => typeof entry === 'string' && PLAIN_LOG.looksLikeError(entry),
  isContinuation: (entry) => typeof entry === 'string' && isContinuation(entry),
};

/** Reads a level word, or a number as in Bunyan and Pino: from 10 (trace) to 60 (fatal). */
function levelOf(value: unknown): Level | undefined {
  if (typeof value === 'string') return findLevel(value);
  if (typeof value !== 'number') return undefined;
  return LEVELS[Math.min(Math.floor(value / 10), LEVELS.length) - 1];
}

function memberOf(entry: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(entry, candidate));
  return name === undefined ? undefined : entry[name];
}

const SAMPLE_LINES = 200;
const SAMPLE_ENTRIES = 20;
const MIN_LOG_LINES = 5;

/** Whether a line has a time or a level where logs have them. */
export function isLogLine(line: string): boolean {
  const start = line.slice(0, 120);
  return (
    /^.{0,80}?\d\d:\d\d:\d\d/.test(start) ||
    /^[[("<]?(?:trace|debug|info|warn(?:ing)?|error|fatal|critical)\b/i.test(start) ||
    /\b(?:level|lvl|severity)=/.test(start)
  );
}

/** Whether a text is a log, judged by its first lines. */
export function isLog(lines: readonly string[]): boolean {
  const first = lines
    .slice(0, SAMPLE_LINES)
    .filter((line) => line.trim() !== '' && !isContinuation(line))
    .slice(0, SAMPLE_ENTRIES);
  const logged = first.filter(isLogLine);
  return logged.length >= MIN_LOG_LINES && logged.length >= first.length / 2;
}

/** Whether JSON lines are a log: most have a level, and a time or a message. */
export function isJsonLog(entries: readonly unknown[]): boolean {
  const first = entries.slice(0, SAMPLE_ENTRIES).filter(isJsonObject);
  const logged = first.filter(
    (entry) =>
      JSON_LOG.level(entry) !== undefined && memberOf(entry, [...TIME_NAMES, ...TEXT_NAMES]) !== undefined,
  );
  return logged.length > first.length / 2;
}
