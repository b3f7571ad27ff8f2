import type { z } from 'zod';
import { configKeys } from './config-keys.ts';
import { nearest } from './nearest.ts';

/** What is wrong with a config, a sentence each, with the key that was probably meant. */
export function problemsIn(error: z.ZodError, at = ''): string[] {
  return error.issues.flatMap((issue) => {
    const path = [at, ...issue.path.map(String)].filter((part) => part !== '').join('.');
    if (issue.code !== 'unrecognized_keys') return [`${path || 'the file'}: ${issue.message}`];
    return issue.keys.map((key) => {
      const meant = nearest(key, configKeys(issue.path.map(String)));
      return `${[path, key].filter((part) => part !== '').join('.')}: unknown key${meant ? `; did you mean "${meant}"?` : ''}`;
    });
  });
}
