import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { ToolOverrides } from '../config/tool-overrides.ts';

export interface OverriddenDescriptors {
  readonly descriptors: readonly ToolDescriptor[];
  /** Tools that the config speaks of and the upstream does not have: most likely misspelt. */
  readonly unmatched: readonly string[];
}

/** Adds what an operator states of tools to what their upstream says. */
export function applyOverrides(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  terms: Readonly<Record<string, ToolOverrides>>,
): OverriddenDescriptors {
  const stated = new Map(
    Object.entries(terms)
      .filter(([key]) => key.startsWith(`${namespace}:`))
      .map(([key, term]) => [key.slice(namespace.length + 1), term]),
  );
  if (stated.size === 0) return { descriptors, unmatched: [] };
  const names = new Set(descriptors.map(({ name }) => name));
  return {
    descriptors: descriptors.map((descriptor) =>
      overrideDescriptor(descriptor, stated.get(String(descriptor.name))),
    ),
    unmatched: [...stated.keys()].filter((name) => !names.has(name)),
  };
}

function overrideDescriptor(descriptor: ToolDescriptor, terms: ToolOverrides | undefined): ToolDescriptor {
  if (!terms) return descriptor;
  const { mutation, timeoutClass, idempotent, idempotencyKeyArgument, examples, verify } = terms;
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
