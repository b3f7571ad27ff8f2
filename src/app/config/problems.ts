import type { z } from 'zod';
import { closestMatch } from '../../base/text/closest-match.ts';
import { configKeys } from './keys.ts';

/** Describes each problem of a config in one line, with the nearest known key for an unknown one. */
export function describeProblems(error: z.ZodError, at: readonly string[] = []): string[] {
  return error.issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map(String)];
    if (issue.code !== 'unrecognized_keys') return [`${path.join('.') || 'the file'}: ${issue.message}`];
    return issue.keys.map((key) => {
      const meant = closestMatch(key, configKeys(path));
      return `${[...path, key].join('.')}: unknown key${meant ? `; did you mean "${meant}"?` : ''}`;
    });
  });
}
