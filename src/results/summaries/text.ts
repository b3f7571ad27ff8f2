import { JSON_LINES, looksLogged, PLAIN_LINES } from '../detect/log-line.ts';
import { languageOf, summarizeCode } from './code.ts';
import { summarizeLog } from './log.ts';
import { summarizeProse } from './prose.ts';
import type { Summary } from './summary.ts';
import { textExtent } from './text-extent.ts';

/** A log, a program or prose, told from the lines that it begins with. */
export function summarizeText(text: string): Summary {
  const extent = textExtent(text);
  const { lines } = extent;
  if (looksLogged(lines)) return summarizeLog(extent, { read: lines, reader: PLAIN_LINES });
  const language = languageOf(lines);
  return language ? summarizeCode(extent, language) : summarizeProse(extent);
}

/** A log that has a document in every line. */
export function summarizeJsonLog(text: string, documents: readonly unknown[]): Summary {
  const extent = textExtent(text);
  let next = 0;
  const read = extent.lines.map((line) => (line.trim() === '' ? '' : documents[next++]));
  return summarizeLog({ ...extent, describe: `${extent.describe} of JSON` }, { read, reader: JSON_LINES });
}
