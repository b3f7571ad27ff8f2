import { describe, expect, it } from 'vitest';
import { parseMarkdownTable } from './markdown-table.ts';

describe('parseMarkdownTable', () => {
  it.each<[string, string[][] | undefined]>([
    [
      '| a | b |\n|---|---|\n| 1 | 2 |',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a|b\n-|-\n1|2\n\n3|4',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['text\n\n| a |\n|---|\n| 1 |\nend', [['a'], ['1']]],
    ['| a \\| b |\n|:-:|\n| \\| |', [['a | b'], ['|']]],
    [
      '| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['| a | b |\n|---|---|', [['a', 'b']]],
    ['| a | b |\n|---|', undefined],
    ['a\n---\nb', undefined],
    ['| a |\ntext\n|---|', undefined],
    ['a | b', undefined],
    ['', undefined],
  ])('parses the first table in %j', (text, table) => {
    expect(parseMarkdownTable(text)).toEqual(table);
  });

  it('takes linear time on long lines and on texts without a table', () => {
    const began = performance.now();
    expect(parseMarkdownTable(`|${' '.repeat(200_000)}\n|-${' '.repeat(200_000)}x`)).toBeUndefined();
    expect(parseMarkdownTable(`${'|'.repeat(300_000)}\n${'|'.repeat(300_000)}`)).toBeUndefined();
    expect(parseMarkdownTable(`${'a | b\n'.repeat(300_000)}`)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
