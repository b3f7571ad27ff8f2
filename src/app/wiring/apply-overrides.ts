import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { ToolTerms } from '../config/tool-overrides.ts';

export interface TermsStated {
  readonly descriptors: readonly ToolDescriptor[];
  /** Tools that the config speaks of and the upstream does not have: most likely misspelt. */
  readonly unmatched: readonly string[];
}

/** Adds what an operator states of tools to what their upstream says. */
export function stateTerms(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  terms: Readonly<Record<string, ToolTerms>>,
): TermsStated {
  const stated = new Map(
    Object.entries(terms)
      .filter(([key]) => key.startsWith(`${namespace}:`))
      .map(([key, term]) => [key.slice(namespace.length + 1), term]),
  );
  if (stated.size === 0) return { descriptors, unmatched: [] };
  const names = new Set(descriptors.map(({ name }) => name));
  return {
    descriptors: descriptors.map((descriptor) => withTerms(descriptor, stated.get(String(descriptor.name)))),
    unmatched: [...stated.keys()].filter((name) => !names.has(name)),
  };
}

function withTerms(descriptor: ToolDescriptor, terms: ToolTerms | undefined): ToolDescriptor {
  if (!terms) return descriptor;
  const { mutation, timeoutClass, repeatable, keyArgument, examples, verify } = terms;
  return {
    ...descriptor,
    declared: {
      ...descriptor.declared,
      ...(mutation && { mutation }),
      ...(timeoutClass && { timeoutClass }),
      ...(repeatable !== undefined && { repeatable }),
      ...(keyArgument !== undefined && { keyArgument }),
      ...(verify && { verification: verify }),
      ...(examples && { examples: examples.map((query) => ({ query })) }),
    },
  };
}
