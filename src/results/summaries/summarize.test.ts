import { describe, expect, it } from 'vitest';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import type { ContentPart, ToolResult } from '../../contract/call/tool-result.ts';
import { type SummaryResult, summarize } from './summarize.ts';

const textPart = (text: string): ContentPart => ({ type: 'text', text });
const summarizeResult = (result: Partial<ToolResult>, tokens = 200): SummaryResult =>
  summarize({ content: [], isError: false, ...result }, { countTokens, maxTokens: tokens });

describe('summarize', () => {
  const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(30)}`;

  it.each<[string, string]>([
    ['json', '[{"a":1},{"a":2}]'],
    ['json', '{"a":1}\n{"a":2}'],
    ['json', '{"level":1,"score":5}\n{"level":40,"score":7}'],
    ['table', 'a,b\n1,2\n3,4\n5,6'],
    ['table', 'a\tb\n1\t2\n3\t4'],
    ['table', table],
    ['text', `${'Some words about a table.\n'.repeat(60)}${table}`],
    ['text', `# About\n\n${table}\n${'Some words about a table.\n'.repeat(60)}`],
    ['log', '12:00:00 INFO a\n'.repeat(9)],
    ['code', 'const a = 1;\nexport const b = a;\nfunction c() {\n}\n'],
  ])('detects the format %s', (format, text) => {
    expect(summarizeResult({ content: [textPart(text)] }).facts.format).toBe(format);
  });

  it('keeps to the token limit for any content, and ends with a whole line if possible', () => {
    const rows = JSON.stringify(
      Array.from({ length: 300 }, (_, i) => ({ id: i, 名前: `値${i}`, note: 'x'.repeat(i) })),
    );
    const log = Array.from(
      { length: 300 },
      (_, i) => `12:00:00 ERROR ${'abcdefghij'.slice(i % 10)} broke`,
    ).join('\n');
    for (const text of [rows, log, '漢字\n'.repeat(5_000), '😀'.repeat(5_000)]) {
      for (const tokens of [20, 60, 150, 500]) {
        expect(countTokens(summarizeResult({ content: [textPart(text)] }, tokens).text)).toBeLessThanOrEqual(
          tokens + 2,
        );
      }
    }
    expect(summarizeResult({ content: [textPart(log)] }, 150).text).not.toMatch(/…$/);
    expect(
      summarizeResult({ content: [textPart(rows)] }, 150)
        .text.split('\n')
        .at(-1),
    ).toMatch(/^row \d+: \[.*\]$/);
  });

  it('summarizes the longest of several parts', () => {
    const { text, facts } = summarizeResult({ content: [textPart('short'), textPart('[1,2,3]')] });
    expect(text).toBe(
      '2 parts, the longest: JSON list of 3 rows\nvalue: integer 1..3\nrow 0: [1]\nrow 1: [2]\nrow 2: [3]',
    );
    expect(facts).toMatchObject({ parts: 2 });
  });
});
