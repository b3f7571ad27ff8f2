import { z } from 'zod';
import { TIMEOUT_CLASSES, type TimeoutClass } from '../../contract/tool/timeout-class.ts';
import { MUTATION_CLASSES, type MutationClass } from '../../contract/tool/tool.ts';
import type { Binding, Verification } from '../../contract/tool/verification.ts';

const BindingEntry: z.ZodType<Binding, unknown> = z.union([
  z.strictObject({ from: z.enum(['args', 'result']), at: z.string().regex(/^(?:\/.*)?$/) }),
  z.strictObject({ value: z.json() }),
]);

const toolUse = {
  tool: z.string().min(1).describe('Another tool, by id or "/namespace/name"'),
  args: z.record(z.string(), BindingEntry).default({}).describe('What it is called with'),
};

const VerificationEntry: z.ZodType<Verification, unknown> = z.strictObject({
  integrity: z
    .array(z.strictObject({ kind: z.enum(['sha256', 'count']), of: BindingEntry, equals: BindingEntry }))
    .exactOptional()
    .describe('What must hold of the result itself'),
  readBack: z
    .strictObject({
      ...toolUse,
      expect: z
        .array(
          z.strictObject({
            at: z.string(),
            equals: BindingEntry.exactOptional(),
            exists: z.boolean().exactOptional(),
          }),
        )
        .describe('What must hold of its answer'),
    })
    .exactOptional()
    .describe('A tool that shows whether the world is as it should be'),
  probe: z
    .strictObject(toolUse)
    .exactOptional()
    .describe('State that a tool that only reads must leave alone'),
  compensate: z.strictObject(toolUse).exactOptional().describe('A tool that undoes a call whose checks fail'),
});

/** Checks that would look with a tool that writes, as far as the config alone can tell: a sentence each. */
export function checksThatWrite(tools: Readonly<Record<string, ToolOverrides>>): string[] {
  return Object.entries(tools).flatMap(([tool, { verify }]) =>
    (['readBack', 'probe'] as const).flatMap((check) => {
      const used = nameIn(verify?.[check]?.tool ?? '');
      const where = `tools.${tool}.verify.${check}.tool`;
      if (used === tool) return [`${where}: a tool cannot check itself`];
      const { mutation = 'read_only' } = tools[used] ?? {};
      return mutation === 'read_only' ? [] : [`${where}: ${used} writes, and a check may only look`];
    }),
  );
}

/** `namespace:tool`, of a path or of an id. */
function nameIn(reference: string): string {
  return reference.replace(/^\/([^/]+)\//, '$1:').replace(/[@#].*$/, '');
}

/** Terms that an operator states for a tool. They beat what the upstream says and what a profile fills. */
export const ToolOverridesEntry: z.ZodType<ToolOverrides, unknown> = z.strictObject({
  mutation: z.enum(MUTATION_CLASSES).optional().describe('What it does to the world'),
  timeoutClass: z.enum(TIMEOUT_CLASSES).optional().describe('How long it may take'),
  repeatable: z.boolean().optional().describe('That calling it twice does no more than calling it once'),
  keyArgument: z
    .string()
    .min(1)
    .optional()
    .describe('The argument in which it takes an idempotency key itself'),
  examples: z.array(z.string().min(1).max(300)).max(20).optional().describe('Requests that it answers'),
  verify: VerificationEntry.optional().describe('How to check that a call did what it says'),
});

export interface ToolOverrides {
  mutation?: MutationClass | undefined;
  timeoutClass?: TimeoutClass | undefined;
  idempotent?: boolean | undefined;
  idempotencyKeyArgument?: string | undefined;
  examples?: string[] | undefined;
  verify?: Verification | undefined;
}
