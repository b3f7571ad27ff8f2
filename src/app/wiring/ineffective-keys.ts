import { closestMatch } from '../../base/text/closest-match.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { isPattern, ToolKeys, type ToolNames } from '../../catalog/tool-keys.ts';
import { parseToolId } from '../../contract/tool/tool-id.ts';
import type { UpstreamStatus } from '../../contract/upstream-state.ts';
import type { Config } from '../config/load.ts';

/** Keys of the config that have no effect and are most likely misspelt: a sentence each. */
export function findIneffectiveKeys(
  config: Config,
  snapshot: CatalogSnapshot,
  upstreams: readonly UpstreamStatus[],
): readonly string[] {
  return [...config.findings, ...findUnmatchedKeys(config, snapshot, upstreams)];
}

/** A key is judged only where every upstream that could have the tool has listed its tools. */
function findUnmatchedKeys(
  config: Config,
  snapshot: CatalogSnapshot,
  upstreams: readonly UpstreamStatus[],
): string[] {
  const references = toolReferences(config);
  if (references.length === 0) return [];
  const tools = offeredTools(snapshot);
  const toolKeys = new ToolKeys(references.map(({ key }) => key));
  const matched = new Set(tools.flatMap((tool) => toolKeys.matching(tool)));
  const disabled = config.upstreams.filter(({ settings }) => !settings.enabled);
  const states = new Map<string, State>([
    ...disabled.map(({ namespace }) => [namespace, 'disabled'] as const),
    ...upstreams.map(({ namespace, state }) => [namespace, state.kind] as const),
  ]);
  return references
    .filter(({ key }) => !matched.has(key))
    .flatMap(({ at, key }) => {
      const problem = problemOf(key, tools, states);
      return problem === undefined ? [] : [`${at}: ${problem}`];
    });
}

type State = UpstreamStatus['state']['kind'] | 'disabled';

interface ToolReference {
  readonly at: string;
  readonly key: string;
}

function toolReferences({ settings, upstreams }: Config): ToolReference[] {
  const { tools, rateLimits, cache } = settings;
  const limited = Object.keys(rateLimits).filter((key) => !/^tool_[a-z]+$/.test(key));
  const switched = upstreams.flatMap(({ namespace, settings: { tools: switches } }) =>
    (['allow', 'deny'] as const).flatMap((list) =>
      (switches[list] ?? []).map((name) => ({
        at: `tools.${list} of upstream ${namespace}: "${name}"`,
        key: `${namespace}:${name}`,
      })),
    ),
  );
  return [
    ...Object.keys(tools).map((key) => ({ at: `tools."${key}"`, key })),
    ...limited.map((key) => ({ at: `rateLimits."${key}"`, key })),
    ...(cache.allow ?? []).map((key) => ({ at: `cache.allow "${key}"`, key })),
    ...switched,
  ];
}

/** Also the tools that were refused or switched off: a key that names one of them is not misspelt. */
function offeredTools({ contracts, reports }: CatalogSnapshot): ToolNames[] {
  const leftOut = reports.flatMap(({ findings }) =>
    findings.flatMap(({ toolId, upstreamName }) =>
      toolId === undefined ? [] : [{ ...parseToolId(toolId), id: toolId, upstreamName }],
    ),
  );
  return [...contracts, ...leftOut];
}

function problemOf(
  key: string,
  tools: readonly ToolNames[],
  states: ReadonlyMap<string, State>,
): string | undefined {
  const namespace = key.slice(0, key.indexOf(':'));
  if (isPattern(namespace) || !key.includes(':')) {
    const areAllListed = [...states.values()].every((state) => state === 'ready' || state === 'disabled');
    return areAllListed ? 'matches no tool' : undefined;
  }
  const state = states.get(namespace);
  if (state === undefined)
    return `no upstream is named "${namespace}"${suggestion(namespace, [...states.keys()])}`;
  if (state !== 'ready') return undefined;
  if (isPattern(key)) return 'matches no tool';
  const prefix = `${namespace}:`;
  const siblings = tools.filter((tool) => tool.namespace === namespace);
  const names = siblings.flatMap(({ name, id }) => [name, id.slice(prefix.length)]);
  return `no such tool${suggestion(key.slice(prefix.length), names, prefix)}`;
}

function suggestion(word: string, known: readonly string[], prefix = ''): string {
  const meant = closestMatch(word, known);
  return meant === undefined ? '' : `; did you mean "${prefix}${meant}"?`;
}
