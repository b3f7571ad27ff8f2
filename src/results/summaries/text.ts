import { isLog, JSON_LOG, PLAIN_LOG } from '../detect/log-line.ts';
import { detectLanguage, summarizeCode } from './code.ts';
import { summarizeLog } from './log.ts';
import { summarizeProse } from './prose.ts';
import type { Summary } from './summary.ts';
import { textExtent } from './text-extent.ts';

/** Summarizes a log, a program or prose, whichever the first lines look like. */
export function summarizeText(text: string): Summary {
  const extent = textExtent(text);
  const { lines } = extent;
  if (isLog(lines)) return summarizeLog(extent, { entries: lines, reader: PLAIN_LOG });
  const language = detectLanguage(lines);
  return language ? summarizeCode(extent, language) : summarizeProse(extent);
}

/** Summarizes a log of JSON lines. */
export function summarizeJsonLog(text: string, documents: readonly unknown[]): Summary {
  const extent = textExtent(text);
  let next = 0;
  const entries = extent.lines.map((line) => (line.trim() === '' ? '' : documents[next++]));
  return summarizeLog({ ...extent, label: `${extent.label} of JSON` }, { entries, reader: JSON_LOG });
}
