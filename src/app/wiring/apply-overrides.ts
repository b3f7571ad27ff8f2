import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { ToolOverrides } from '../config/tool-overrides.ts';

export interface OverriddenDescriptors {
  readonly descriptors: readonly ToolDescriptor[];
  /** Tools that the config overrides and the upstream does not have: most likely misspelt. */
  readonly unmatched: readonly string[];
}

/** Merges the operator's overrides into the descriptors of an upstream. */
export function applyOverrides(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  overrides: Readonly<Record<string, ToolOverrides>>,
): OverriddenDescriptors {
  const byName = new Map(
    Object.entries(overrides)
      .filter(([key]) => key.startsWith(`${namespace}:`))
      .map(([key, override]) => [key.slice(namespace.length + 1), override]),
  );
  if (byName.size === 0) return { descriptors, unmatched: [] };
  const names = new Set(descriptors.map(({ name }) => name));
  return {
    descriptors: descriptors.map((descriptor) =>
      overrideDescriptor(descriptor, byName.get(String(descriptor.name))),
    ),
    unmatched: [...byName.keys()].filter((name) => !names.has(name)),
  };
}

function overrideDescriptor(
  descriptor: ToolDescriptor,
  overrides: ToolOverrides | undefined,
): ToolDescriptor {
  if (!overrides) return descriptor;
  const { mutation, timeoutClass, idempotent, idempotencyKeyArgument, examples, verify } = overrides;
  return {
    ...descriptor,
    declared: {
      ...descriptor.declared,
      ...(mutation && { mutation }),
      ...(timeoutClass && { timeoutClass }),
      ...(idempotent !== undefined && { idempotent }),
      ...(idempotencyKeyArgument !== undefined && { idempotencyKeyArgument }),
      ...(verify && { verification: verify }),
      ...(examples && { examples: examples.map((query) => ({ query })) }),
    },
  };
}
