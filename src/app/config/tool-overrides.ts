import { z } from 'zod';
import { TIMEOUT_CLASSES, type TimeoutClass } from '../../contract/tool/timeout-class.ts';
import {
  type Authorization,
  type CostHints,
  type DeclaredError,
  type Idempotency,
  MUTATION_CLASSES,
  type MutationClass,
  type SideEffect,
  type ToolContract,
} from '../../contract/tool/tool.ts';
import type { Verification } from '../../contract/tool/verification.ts';
import { VerificationEntry } from './verification-entry.ts';

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

const SCOPES = z.array(z.string().min(1)).min(1);

/** Terms that an operator states for tools. They win over the upstream's declaration and over profile defaults. */
export const ToolOverridesEntry: z.ZodType<ToolOverrides, unknown> = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe('Offer the tool; false switches it off, and callers cannot see or call it'),
  expose: z
    .enum(['external', 'internal'])
    .optional()
    .describe(
      'Visibility of the tool: "external" to callers, or "internal" and only for checks of other tools',
    ),
  version: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,32}$/, { error: 'at most 32 letters, digits, ".", "_" or "-"' })
    .optional()
    .describe('Version of the tool, which becomes a part of its id'),
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
  requiredScopes: z
    .array(z.string().min(1))
    .optional()
    .describe('Scopes that a caller needs, all of them; [] requires none'),
  requiredScopesAny: SCOPES.optional().describe('Scopes of which a caller needs at least one'),
  credential: z
    .enum(['none', 'gateway', 'delegated'])
    .optional()
    .describe(
      'Credential that the upstream gets: "none", the one in its config ("gateway"), or the caller\'s ("delegated"); a tool whose upstream gets another one is refused',
    ),
  idempotency: z
    .strictObject({
      key: z
        .enum(['optional', 'recommended', 'required'])
        .optional()
        .describe('Whether a write needs an idempotency key: "optional", "recommended", or "required"'),
      windowMs: z
        .int()
        .min(1)
        .optional()
        .describe(
          'Time that a key is remembered (ms); at least one hour and twice the maximum duration of a call',
        ),
    })
    .optional()
    .describe('Idempotency keys of the tool'),
  idempotent: z
    .boolean()
    .optional()
    .describe('Calling the tool twice has the same effect as calling it once, so it is safe to retry'),
  idempotencyKeyArgument: z
    .string()
    .min(1)
    .optional()
    .describe('Argument of the tool that takes an idempotency key; the gateway fills it'),
  sideEffects: z
    .array(
      z.strictObject({
        resource: z.string().min(1).describe('Kind of thing that changes, such as "file"'),
        action: z.enum(['CREATE', 'UPDATE', 'DELETE']).describe('What happens to it'),
        scope: z.string().min(1).describe('Which of them, such as "the named file"'),
      }),
    )
    .optional()
    .describe('What a call changes, for dry runs and receipts'),
  errors: z
    .array(
      z.strictObject({
        code: z.string().min(1).describe('Error code that the tool reports'),
        description: z.string().describe('What the error means'),
        httpStatus: z.int().min(400).max(599).exactOptional().describe('HTTP status of the error'),
        retryable: z.boolean().describe('Whether the same call can succeed later'),
      }),
    )
    .optional()
    .describe('Errors that the tool reports, with their codes'),
  labels: z
    .record(z.string().regex(/^[a-z][a-z0-9_.]{0,63}$/), z.string().max(256))
    .optional()
    .describe('Labels of the tool, such as its team: attributes "toolgate.label.*" of its spans'),
  cost: z
    .strictObject({
      perCall: z.number().min(0).exactOptional().describe('Cost of one call, in a unit of your choice'),
      tokens: z.int().min(0).exactOptional().describe('Model tokens that one call uses'),
    })
    .optional()
    .describe('Cost of a call, for cards, dry runs and metrics'),
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
  enabled?: boolean | undefined;
  expose?: ToolContract['visibility'] | undefined;
  version?: string | undefined;
  mutation?: MutationClass | undefined;
  timeoutClass?: TimeoutClass | undefined;
  requiredScopes?: string[] | undefined;
  requiredScopesAny?: string[] | undefined;
  credential?: Authorization['credential'] | undefined;
  idempotency?: { key?: Idempotency['key'] | undefined; windowMs?: number | undefined } | undefined;
  idempotent?: boolean | undefined;
  idempotencyKeyArgument?: string | undefined;
  sideEffects?: SideEffect[] | undefined;
  errors?: DeclaredError[] | undefined;
  labels?: Record<string, string> | undefined;
  cost?: CostHints | undefined;
  examples?: string[] | undefined;
  verify?: Verification | undefined;
}
