import { findHtmlCells } from '../formats/html-table.ts';
import { findInsertedCells } from '../formats/sql-values.ts';
import type { RedactionRule, Span } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isSecretValue } from './named-secret/secret-value.ts';
import type { NameClassifier } from './named-secret/sensitive-name.ts';

/** Values in the rows of SQL statements and HTML tables, by the names of their columns. */
export function makeTableValueRule(classifyName: NameClassifier): RedactionRule {
  const isWanted = (name: string): boolean => classifyName(name) !== undefined;
  return {
    name: NAMED_SECRET,
    // The list of columns ends there; the words before it are more frequent.
    keywords: [') values', ')values', ')\nvalues', ') from stdin', '<th>', '<th '],
    isContextual: true,
    find({ text, at, minStart }) {
      const cells =
        text[at] === '<' ? findHtmlCells(text, at, isWanted) : findInsertedCells(text, at, isWanted);
      const spans: Span[] = [];
      for (const { start, end, name } of cells) {
        if (start < minStart) continue;
        const kind = classifyName(name)!;
        if (isSecretValue(text.slice(start, end), { kind, context: 'member' }))
          spans.push({ start, end, rule: NAMED_SECRET });
      }
      return spans;
    },
  };
}
