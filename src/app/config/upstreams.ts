import { resolve } from 'node:path';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { repairNamespace } from '../../contract/tool/tool-id.ts';
import { fromClientEntry } from './client-entry.ts';
import { type ReferenceScope, resolveDeep, UnresolvedReference } from './interpolation.ts';
import { describeProblems } from './problems.ts';
import { isHttpAddress, UpstreamEntry, type UpstreamSettings } from './schema.ts';

export interface ConfiguredUpstream {
  readonly namespace: string;
  readonly settings: UpstreamSettings;
  /** Why it cannot be started as configured, for example a secret that is not there. */
  readonly unusable: string | undefined;
}

export interface UpstreamsRead {
  readonly upstreams: readonly ConfiguredUpstream[];
  readonly problems: readonly string[];
}

type Read = (entry: JsonObject) => UpstreamSettings;

const FORMS: readonly (readonly [key: string, read: Read])[] = [
  ['upstreams', (entry) => UpstreamEntry.parse(entry)],
  ['mcpServers', fromClientEntry],
  ['servers', fromClientEntry],
];

/** Every upstream that the config names, in whichever form, under namespaces that do not meet. */
export function configuredUpstreams(
  written: Readonly<Record<string, unknown>>,
  scope: ReferenceScope,
): UpstreamsRead {
  const problems: string[] = [];
  const upstreams = new Map<string, ConfiguredUpstream>();
  for (const [form, read] of FORMS) {
    for (const [key, entry] of entriesOf(written[form])) {
      const namespace = repairNamespace(key);
      const at = `${form}.${key}`;
      if (upstreams.has(namespace))
        problems.push(`${at}: another upstream already has the namespace "${namespace}"`);
      try {
        upstreams.set(namespace, { namespace, ...resolved(read(entry), scope) });
      } catch (thrown) {
        if (!(thrown instanceof z.ZodError)) throw thrown;
        problems.push(...describeProblems(thrown, [form, key]));
      }
    }
  }
  return { upstreams: [...upstreams.values()], problems };
}

/** What is not keys and values is told of by the schema. */
function entriesOf(map: unknown): [string, JsonObject][] {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return entries.flatMap(([key, entry]) => (isJsonObject(entry) ? [[key, entry]] : []));
}

/** A secret that is missing is a state of its upstream, not a reason to stop the others. */
function resolved(
  settings: UpstreamSettings,
  scope: ReferenceScope,
): Pick<ConfiguredUpstream, 'settings' | 'unusable'> {
  try {
    const ready = resolveDeep(settings, scope);
    const unusable =
      ready.url !== undefined && !isHttpAddress(ready.url)
        ? `url: what ${settings.url} leads to is not an http or https address`
        : undefined;
    return { settings: { ...ready, ...(ready.cwd && { cwd: resolve(scope.folder, ready.cwd) }) }, unusable };
  } catch (thrown) {
    if (thrown instanceof UnresolvedReference) return { settings, unusable: thrown.message };
    throw thrown;
  }
}
