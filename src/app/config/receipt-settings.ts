import { z } from 'zod';

export interface ReceiptSettings {
  keepDays: number;
  failClosed: boolean;
}

export const ReceiptEntry: z.ZodType<ReceiptSettings, unknown> = z
  .strictObject({
    keepDays: z
      .int()
      .min(0)
      .max(36_500)
      .default(90)
      .describe('Days that entries of the receipt log are kept; 0 keeps them for ever'),
    failClosed: z
      .boolean()
      .default(false)
      .describe('Refuse a write whose intent cannot be recorded in the receipt log first'),
  })
  .prefault({})
  .describe('Log of calls and operator actions');
