import { describe, expect, it } from 'vitest';
import { summarizeText } from './text.ts';

const TYPESCRIPT = `import { a } from './a.ts';

/** Doc. */
export interface Thing {
  readonly id: string;
}

export async function load(id: string): Promise<Thing> {
  const found = await a(id);
  return found;
}

const LIMIT = 7;
class Inner {}
`;

describe('summarizeText for code', () => {
  it('names the language and the declarations with their lines', () => {
    const { text, facts } = summarizeText(TYPESCRIPT);
    expect(text(1_000).split('\n')).toEqual([
      'code (TypeScript or JavaScript) of 15 lines, 4 declarations',
      '4: export interface Thing {',
      '8: export async function load(id: string): Promise<Thing> {',
      '13: const LIMIT = 7;',
      '14: class Inner {}',
    ]);
    expect(facts).toEqual({
      format: 'code',
      language: 'TypeScript or JavaScript',
      lines: 15,
      declarations: 4,
    });
  });

  it.each([
    [
      'Python',
      'import os\nfrom x import y\n\nclass A:\n    def f(self):\n        self.x = 1\n        return self.x\n',
      2,
    ],
    ['Go', 'package main\n\nimport (\n\t"fmt"\n)\n\ntype A struct {\n}\n\nfunc main() {\n\tx := 1\n}\n', 2],
    [
      'Rust',
      'use std::fs;\n\npub struct A;\n\nimpl A {\n    pub fn f() {\n        let x = 1;\n    }\n}\n',
      3,
    ],
    [
      'C or C++',
      '#include <stdio.h>\n#define N 7\n\nstatic int f(int a) {\n  return a;\n}\n\nint main(void) {\n}\n',
      2,
    ],
    [
      'Java or C#',
      'package a.b;\nimport c.d;\n\npublic class A {\n  private int x;\n  public int f() {\n    return x;\n  }\n}\n',
      2,
    ],
    ['SQL', 'CREATE TABLE a (id int);\nSELECT *\nFROM a\nWHERE id = 1\nORDER BY id;\n', 1],
    ['shell', '#!/bin/bash\nset -eu\nrun() {\n  echo hi\n}\nif [ -n "$1" ]; then\n  run\nfi\n', 1],
  ])('recognizes %s', (language, text, declarations) => {
    expect(summarizeText(text).facts).toMatchObject({ format: 'code', language, declarations });
  });

  it.each([
    'Dear all,\n\nplease import the data from the old system and return to me.\nThanks.\n',
    'A story in three lines.\nIt has no class.\nThe end.',
    'milk\nbread\nbutter\n',
  ])('does not take prose for code: %j', (text) => {
    expect(summarizeText(text).facts.format).toBe('text');
  });

  it('takes linear time on hostile lines', () => {
    const began = performance.now();
    summarizeText(`${'const a '.repeat(30)}\n`.repeat(5_000));
    summarizeText(`${'a '.repeat(140)}\n`.repeat(5_000));
    summarizeText(`${'x'.repeat(299)}\n`.repeat(5_000));
    summarizeText(`#include <a>\n#define b\n#endif\n${`${'a:<'.repeat(99)}\n`.repeat(2_000)}`);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
