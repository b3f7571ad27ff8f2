import { MAX_PARSED_LENGTH } from '../media-type.ts';
import type { Summary } from './summary.ts';

const HEAD_LINES = 6;
const TAIL_LINES = 4;
const ERROR_LINES = 6;
const MAX_LINE_LENGTH = 200;
const MAX_JUDGED_LENGTH = 1_000;
const LOOKS_BAD = /\b(error|fatal|panic|exception|fail(?:ed|ure)?|critical)\b/i;
const LOOKS_LOGGED = /^\S*\d{2}:\d{2}:\d{2}|^\[?(?:trace|debug|info|warn(?:ing)?|error|fatal)\b/i;

/** A log gives its errors and its end; prose and anything else its beginning. Of what is very long, the start is read. */
export function summarizeText(text: string): Summary {
  const lines = text.slice(0, MAX_PARSED_LENGTH).split('\n');
  const extent = {
    ...(text.length <= MAX_PARSED_LENGTH && { lines: lines.length }),
    characters: text.length,
  };
  const looksLogged = lines.slice(0, 20).filter((line) => LOOKS_LOGGED.test(start(line))).length >= 5;
  return looksLogged ? summarizeLog(lines, text, extent) : summarizeProse(lines, extent);
}

type Extent = { readonly lines?: number; readonly characters: number };

function summarizeLog(lines: readonly string[], text: string, extent: Extent): Summary {
  const bad = lines.flatMap((line, index) =>
    LOOKS_BAD.test(start(line)) ? [`${index + 1}: ${cut(line)}`] : [],
  );
  const tail = text
    .slice(-TAIL_LINES * MAX_JUDGED_LENGTH)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-TAIL_LINES);
  const errors = bad.length ? ['errors:', ...bad.slice(0, ERROR_LINES)] : ['no line looks like an error'];
  return {
    text: [`log of ${told(extent)}`, ...errors, 'end:', ...tail.map(cut)].join('\n'),
    facts: { format: 'log', ...extent, error_lines: bad.length },
  };
}

function summarizeProse(lines: readonly string[], extent: Extent): Summary {
  return {
    text: [`text of ${told(extent)}`, ...lines.slice(0, HEAD_LINES).map(cut)].join('\n'),
    facts: { format: 'text', ...extent },
  };
}

function told({ lines, characters }: Extent): string {
  return lines === undefined ? `${characters} characters` : `${lines} lines`;
}

function start(line: string): string {
  return line.slice(0, MAX_JUDGED_LENGTH);
}

function cut(line: string): string {
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}…`;
}
