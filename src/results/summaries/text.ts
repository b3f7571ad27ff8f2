import type { Summary } from './summary.ts';

const HEAD_LINES = 6;
const TAIL_LINES = 4;
const ERROR_LINES = 6;
const MAX_LINE_LENGTH = 200;
const LOOKS_BAD = /\b(error|fatal|panic|exception|fail(?:ed|ure)?|critical)\b/i;
const LOOKS_LOGGED = /^\S*\d{2}:\d{2}:\d{2}|^\[?(?:trace|debug|info|warn(?:ing)?|error|fatal)\b/i;

/** A log gives its errors and its end; prose and anything else its beginning. */
export function summarizeText(text: string): Summary {
  const lines = text.split('\n');
  const looksLogged = lines.slice(0, 20).filter((line) => LOOKS_LOGGED.test(line)).length >= 5;
  return looksLogged ? summarizeLog(lines) : summarizeProse(lines, text.length);
}

function summarizeLog(lines: readonly string[]): Summary {
  const bad = lines.flatMap((line, index) => (LOOKS_BAD.test(line) ? [`${index + 1}: ${cut(line)}`] : []));
  const tail = lines.filter((line) => line.trim() !== '').slice(-TAIL_LINES);
  const errors = bad.length ? ['errors:', ...bad.slice(0, ERROR_LINES)] : ['no line looks like an error'];
  return {
    text: [`log of ${lines.length} lines`, ...errors, 'end:', ...tail.map(cut)].join('\n'),
    facts: { format: 'log', lines: lines.length, error_lines: bad.length },
  };
}

function summarizeProse(lines: readonly string[], characters: number): Summary {
  return {
    text: [`text of ${lines.length} lines`, ...lines.slice(0, HEAD_LINES).map(cut)].join('\n'),
    facts: { format: 'text', lines: lines.length, characters },
  };
}

function cut(line: string): string {
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}…`;
}
