import { z } from 'zod';
import { TIMEOUT_CLASSES, type TimeoutClass } from '../../contract/tool/timeout-class.ts';
import { MUTATION_CLASSES, type MutationClass } from '../../contract/tool/tool.ts';
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

const VerificationEntry: z.ZodType<Verification, unknown> = z.strictObject({
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

/** Read-backs and probes that would call a writing tool, as far as the config alone shows it: a sentence each. */
export function findWritingChecks(tools: Readonly<Record<string, ToolOverrides>>): string[] {
  return Object.entries(tools).flatMap(([tool, { verify }]) =>
    (['readBack', 'probe'] as const).flatMap((check) => {
      const used = toolNameOf(verify?.[check]?.tool ?? '');
      const where = `tools.${tool}.verify.${check}.tool`;
      if (used === tool) return [`${where}: a tool cannot check itself`];
      const { mutation = 'read_only' } = tools[used] ?? {};
      return mutation === 'read_only'
        ? []
        : [`${where}: ${used} has mutation ${mutation}; a check must use a read_only tool`];
    }),
  );
}

/** `namespace:tool` of a path or of an id. */
function toolNameOf(reference: string): string {
  return reference.replace(/^\/([^/]+)\//, '$1:').replace(/[@#].*$/, '');
}

/** Terms that an operator states for a tool. They win over the upstream's declaration and over profile defaults. */
export const ToolOverridesEntry: z.ZodType<ToolOverrides, unknown> = z.strictObject({
  mutation: z
    .enum(MUTATION_CLASSES)
    .optional()
    .describe(
      'Effect of the tool: read_only has none, write_reversible can be undone, write_irreversible cannot',
    ),
  timeoutClass: z
    .enum(TIMEOUT_CLASSES)
    .optional()
    .describe('Maximum duration of a call: interactive 500 ms, standard 5 s, long_running 5 min, async 24 h'),
  idempotent: z
    .boolean()
    .optional()
    .describe('Calling the tool twice has the same effect as calling it once, so it is safe to retry'),
  idempotencyKeyArgument: z
    .string()
    .min(1)
    .optional()
    .describe('Argument of the tool that takes an idempotency key; the gateway fills it'),
  examples: z
    .array(z.string().min(1).max(300))
    .max(20)
    .optional()
    .describe('Queries that this tool answers; they improve its ranking'),
  verify: VerificationEntry.optional().describe(
    'Checks that a call had the effect that it reports, and how to undo it',
  ),
});

export interface ToolOverrides {
  mutation?: MutationClass | undefined;
  timeoutClass?: TimeoutClass | undefined;
  idempotent?: boolean | undefined;
  idempotencyKeyArgument?: string | undefined;
  examples?: string[] | undefined;
  verify?: Verification | undefined;
}
