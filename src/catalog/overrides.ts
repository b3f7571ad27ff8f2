import type { DeclaredTerms, ToolDescriptor } from '../contract/tool/descriptor.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { type Identity, identifyTool, type NamedSchema } from './identity.ts';
import type { ToolNames } from './tool-keys.ts';

/** What the operator states about a tool. It wins over what the upstream declares. */
export interface AdmissionOverrides {
  /** Why the tool is switched off; absent where it is on. */
  readonly off?: string;
  readonly visibility?: ToolContract['visibility'];
  readonly version?: string;
  readonly declared?: DeclaredTerms;
}

/** Finds the overrides of a tool. A tool has two ids where the operator states its version. */
export type FindOverrides = (...names: readonly ToolNames[]) => AdmissionOverrides;

export interface OverriddenTool {
  readonly descriptor: ToolDescriptor;
  readonly identity: Identity;
  readonly overrides: AdmissionOverrides;
}

const NO_OVERRIDES: FindOverrides = () => ({});

/** Merges the operator's overrides into a descriptor. */
export function overrideTool(
  descriptor: ToolDescriptor,
  schema: NamedSchema,
  find: FindOverrides = NO_OVERRIDES,
): OverriddenTool {
  const offered = identifyTool(descriptor, schema);
  const { version, ...overrides } = find(offered);
  if (version === undefined)
    return { descriptor: withDeclared(descriptor, overrides), identity: offered, overrides };
  const versioned = { ...descriptor, version };
  const identity = identifyTool(versioned, schema);
  const all = find(offered, identity);
  return { descriptor: withDeclared(versioned, all), identity, overrides: all };
}

function withDeclared(descriptor: ToolDescriptor, { declared }: AdmissionOverrides): ToolDescriptor {
  if (!declared) return descriptor;
  const { authorization, idempotency } = descriptor.declared ?? {};
  return {
    ...descriptor,
    declared: {
      ...descriptor.declared,
      ...declared,
      ...(declared.authorization && { authorization: { ...authorization, ...declared.authorization } }),
      ...(declared.idempotency && { idempotency: { ...idempotency, ...declared.idempotency } }),
    },
  };
}
