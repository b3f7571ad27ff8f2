import { z } from 'zod';

/** A whole number of at least `minimum`. */
export function positiveInteger(fallback: number, minimum = 1): z.ZodDefault<z.ZodNumber> {
  return z.int().min(minimum).default(fallback);
}
