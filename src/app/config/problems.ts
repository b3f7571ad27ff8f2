import type { z } from 'zod';
import { closestMatch } from '../../base/text/closest-match.ts';
import { configKeys } from './keys.ts';

/** What is wrong with a config, a sentence each, with the key that was probably meant. */
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
