import { cutLine, lengthOf, takeLines } from './line-budget.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

const MAX_HEAD_LINES = 200;
const MAX_LINE_LENGTH = 200;
const MAX_HEADING_LENGTH = 80;
const HEADING = /^#{1,6}\s+\S/;

/** Shows the start of a text, then its headings with their line numbers. */
export function summarizeProse({ lines, facts, label }: TextExtent): Summary {
  const headings = lines.flatMap((line, index) =>
    HEADING.test(line) ? [`${index + 1}: ${cutLine(line, MAX_HEADING_LENGTH)}`] : [],
  );
  const head = lines
    .slice(0, MAX_HEAD_LINES)
    .filter((line) => line.trim() !== '')
    .map((line) => cutLine(line, MAX_LINE_LENGTH));
  return {
    facts: { format: 'text', ...facts, ...(headings.length > 0 && { headings: headings.length }) },
    text: (maxLength) => {
      const title = `text of ${label}`;
      const outline = headings.length > 1 ? ['headings:', ...takeLines(headings, maxLength / 2)] : [];
      return [title, ...takeLines(head, maxLength - lengthOf([title, ...outline])), ...outline].join('\n');
    },
  };
}
