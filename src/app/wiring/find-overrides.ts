import type { AdmissionOverrides, FindOverrides } from '../../catalog/overrides.ts';
import { ToolKeys, type ToolNames } from '../../catalog/tool-keys.ts';
import type { DeclaredTerms } from '../../contract/tool/descriptor.ts';
import type { ToolOverrides } from '../config/tool-overrides.ts';
import type { UpstreamSettings } from '../config/upstream-entry.ts';

/** Which tools of an upstream are on: patterns of names without the namespace. */
export type ToolSwitches = UpstreamSettings['tools'];

/**
 * Finds what the config states about a tool of an upstream. Where several keys match, a term is taken from the most
 * specific key that states it. `deny` and `allow` of the upstream cannot be overridden.
 */
export function overridesFinder(
  tools: Readonly<Record<string, ToolOverrides>>,
  namespace: string,
  { allow, deny }: ToolSwitches = { deny: [] },
): FindOverrides {
  const keys = new ToolKeys(Object.keys(tools));
  const allowed = allow && upstreamKeys(namespace, allow);
  const denied = upstreamKeys(namespace, deny);
  return (...names) => {
    const [tool] = names as [ToolNames];
    if (denied.matching(tool).length > 0)
      return { off: `switched off by tools.deny of upstream ${namespace}` };
    if (allowed?.matching(tool).length === 0)
      return { off: `switched off: tools.allow of upstream ${namespace} does not name it` };
    const matching = [...new Set(names.flatMap((name) => keys.matching(name)))];
    const switching = matching.findLast((key) => tools[key]!.enabled !== undefined);
    if (switching !== undefined && tools[switching]!.enabled === false)
      return { off: `switched off by tools."${switching}"` };
    return toAdmissionOverrides(mergeTerms(matching.map((key) => tools[key]!)));
  };
}

function upstreamKeys(namespace: string, patterns: readonly string[]): ToolKeys {
  return new ToolKeys(patterns.map((pattern) => `${namespace}:${pattern}`));
}

/** Later terms win. The parts of `idempotency` are terms of their own. */
function mergeTerms(all: readonly ToolOverrides[]): ToolOverrides {
  const merged: ToolOverrides = {};
  for (const overrides of all) {
    const idempotency = { ...merged.idempotency, ...definedOf(overrides.idempotency ?? {}) };
    Object.assign(merged, definedOf(overrides), { idempotency });
  }
  return merged;
}

type Defined<Entry> = { [Key in keyof Entry]?: Exclude<Entry[Key], undefined> };

function definedOf<Entry extends object>(entry: Entry): Defined<Entry> {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as Defined<Entry>;
}

function toAdmissionOverrides(overrides: ToolOverrides): AdmissionOverrides {
  const { enabled: _, expose, version, ...terms } = definedOf(overrides);
  const { requiredScopes, requiredScopesAny, credential, idempotency, examples, verify, ...same } = terms;
  const authorization = definedOf({ requiredScopes, requiredScopesAny, credential });
  const declared: DeclaredTerms = {
    ...same,
    ...(Object.keys(authorization).length > 0 && { authorization }),
    ...(idempotency && Object.keys(idempotency).length > 0 && { idempotency: definedOf(idempotency) }),
    ...(verify && { verification: verify }),
    ...(examples && { examples: examples.map((query) => ({ query })) }),
  };
  return {
    ...(expose && { visibility: expose }),
    ...(version !== undefined && { version }),
    ...(Object.keys(declared).length > 0 && { declared }),
  };
}
