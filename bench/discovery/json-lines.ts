import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { InputError } from './input-error.ts';

/** Where a record stands, as editors and compilers write it. */
export interface Line<Shape> {
  readonly value: Shape;
  readonly at: string;
}

/** One JSON object a line, blank lines aside. */
export function readLines<Shape>(file: string, shape: z.ZodType<Shape>): Line<Shape>[] {
  return textOf(file)
    .split('\n')
    .map((text, index) => ({ text, at: `${file}:${index + 1}` }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, at }) => ({ value: recordIn(text, at, shape), at }));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new InputError(`${file}: cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
  }
}

function recordIn<Shape>(text: string, at: string, shape: z.ZodType<Shape>): Shape {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw new InputError(`${at}: not JSON: ${(thrown as Error).message}`);
  }
  const { success, data, error } = shape.safeParse(json);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new InputError(`${at}: ${[...path.map(String), message].join(': ')}`);
}
