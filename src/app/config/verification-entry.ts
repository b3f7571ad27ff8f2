import { z } from 'zod';
import type { Binding, Verification } from '../../contract/tool/verification.ts';

const BindingEntry: z.ZodType<Binding, unknown> = z.union([
  z.strictObject({
    from: z.enum(['args', 'result']).describe('Where the value comes from: the arguments or the result'),
    at: z
      .string()
      .regex(/^(?:\/.*)?$/)
      .describe('JSON Pointer to the value, such as /path'),
  }),
  z.strictObject({ value: z.json().describe('A fixed value') }),
]);

const toolUse = {
  tool: z.string().min(1).describe('Tool to call, by id or "/namespace/name"'),
  args: z
    .record(z.string(), BindingEntry)
    .default({})
    .describe('Arguments of that tool: fixed values, or values from the checked call'),
};

const IntegrityEntry = z.strictObject({
  kind: z.enum(['sha256', 'count']).describe('SHA-256 of a text (hex), or number of items of a list'),
  of: BindingEntry.describe('Text or list to check'),
  equals: BindingEntry.describe('Required SHA-256 or number of items'),
});

const ExpectationEntry = z.strictObject({
  at: z.string().describe('JSON Pointer into the result of the read-back tool'),
  equals: BindingEntry.exactOptional().describe('Value that must be there'),
  exists: z.boolean().exactOptional().describe('Whether a value must be there, or must not'),
});

export const VerificationEntry: z.ZodType<Verification, unknown> = z.strictObject({
  integrity: z
    .array(IntegrityEntry)
    .exactOptional()
    .describe('Conditions on the result of the call; the call fails unless all hold'),
  readBack: z
    .strictObject({
      ...toolUse,
      expect: z
        .array(ExpectationEntry)
        .describe('Conditions on the result of the read-back tool; the call fails unless all hold'),
    })
    .exactOptional()
    .describe('Read-only tool called after a write, to check that the write took effect'),
  probe: z
    .strictObject(toolUse)
    .exactOptional()
    .describe('Read-only tool called before and after a read-only call, to detect a side effect'),
  compensate: z
    .strictObject(toolUse)
    .exactOptional()
    .describe('Tool that undoes the call when a check finds a mismatch'),
});
