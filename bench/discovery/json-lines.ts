import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { InputError } from './input-error.ts';

/** A record with its location, `file:line`. */
export interface Line<Shape> {
  readonly value: Shape;
  readonly at: string;
}

/** Reads one JSON object per line and ignores blank lines. */
export function readLines<Shape>(file: string, shape: z.ZodType<Shape>): Line<Shape>[] {
  return readText(file)
    .split('\n')
    .map((text, index) => ({ text, at: `${file}:${index + 1}` }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, at }) => ({ value: parseRecord(text, at, shape), at }));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new InputError(`${file}: cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
  }
}

function parseRecord<Shape>(text: string, at: string, shape: z.ZodType<Shape>): Shape {
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
