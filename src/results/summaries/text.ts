import { languageOf, summarizeCode } from './code.ts';
import { looksLogged, summarizeLog } from './log.ts';
import { summarizeProse } from './prose.ts';
import type { Summary } from './summary.ts';
import { textExtent } from './text-extent.ts';

/** A log, a program or prose, told from the lines that it begins with. */
export function summarizeText(text: string): Summary {
  const extent = textExtent(text);
  if (looksLogged(extent.lines)) return summarizeLog(extent);
  const language = languageOf(extent.lines);
  return language ? summarizeCode(extent, language) : summarizeProse(extent);
}
