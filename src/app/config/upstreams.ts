import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { repairNamespace } from '../../contract/tool/tool-id.ts';
import { findUnknownKeys, parseClientEntry } from './client-entry.ts';
import { type ReferenceScope, resolveDeep, UnresolvedReference } from './interpolation.ts';
import { describeProblems } from './problems.ts';
import { isHttpAddress, UpstreamEntry, type UpstreamSettings } from './upstream-entry.ts';

export interface ConfiguredUpstream {
  readonly namespace: string;
  readonly settings: UpstreamSettings;
  /** Why it cannot be started as configured, for example a missing secret; undefined where it can. */
  readonly unusable: string | undefined;
  /** Whether it is unusable because a reference has no value, which is usually a secret. */
  readonly needsCredentials: boolean;
}

export interface ReadUpstreams {
  readonly upstreams: readonly ConfiguredUpstream[];
  readonly problems: readonly string[];
  /** What has no effect: a sentence each. */
  readonly findings: readonly string[];
}

interface Format {
  readonly key: string;
  readonly parse: (entry: JsonObject) => UpstreamSettings;
  /** Unknown keys are findings in the entries of clients, and errors elsewhere. */
  readonly findUnknownKeys?: (entry: JsonObject) => readonly string[];
}

const FORMATS: readonly Format[] = [
  { key: 'upstreams', parse: (entry) => UpstreamEntry.parse(entry) },
  { key: 'mcpServers', parse: parseClientEntry, findUnknownKeys },
  { key: 'servers', parse: parseClientEntry, findUnknownKeys },
];

/** Reads the upstreams of a config in every supported format. Their namespaces must differ. */
export function readUpstreams(
  rawSettings: Readonly<Record<string, unknown>>,
  scope: ReferenceScope,
): ReadUpstreams {
  const problems: string[] = [];
  const findings: string[] = [];
  const upstreams = new Map<string, ConfiguredUpstream>();
  for (const format of FORMATS) {
    for (const [key, entry] of entriesOf(rawSettings[format.key])) {
      const namespace = repairNamespace(key);
      const at = `${format.key}.${key}`;
      const unknown = format.findUnknownKeys?.(entry).map((finding) => `${at}.${finding}`) ?? [];
      findings.push(...unknown);
      if (upstreams.has(namespace))
        problems.push(`${at}: another upstream already has the namespace "${namespace}"`);
      try {
        upstreams.set(namespace, { namespace, ...resolveEntry(format.parse(entry), scope) });
      } catch (thrown) {
        if (!(thrown instanceof z.ZodError)) throw thrown;
        problems.push(...describeProblems(thrown, [format.key, key]), ...unknown);
      }
    }
  }
  return { upstreams: [...upstreams.values()], problems, findings };
}

/** Skips values that are no objects: the schema reports them. */
function entriesOf(map: unknown): [string, JsonObject][] {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return entries.flatMap(([key, entry]) => (isJsonObject(entry) ? [[key, entry]] : []));
}

/** A missing secret makes only its own upstream unusable; the others start. */
function resolveEntry(
  settings: UpstreamSettings,
  scope: ReferenceScope,
): Omit<ConfiguredUpstream, 'namespace'> {
  try {
    const resolved = resolveDeep(settings, scope);
    const unusable =
      resolved.url !== undefined && !isHttpAddress(resolved.url)
        ? `url: the value of ${settings.url} is not an http or https address`
        : undefined;
    const { cwd, envFile } = resolved;
    const env = envFile === undefined ? resolved.env : { ...readEnvFile(envFile, scope), ...resolved.env };
    const inFolder = { ...resolved, env, ...(cwd && { cwd: resolve(scope.folder, cwd) }) };
    return { settings: inFolder, unusable, needsCredentials: false };
  } catch (thrown) {
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
    return { settings, unusable: thrown.message, needsCredentials: true };
  }
}

function readEnvFile(file: string, { folder }: ReferenceScope): Record<string, string> {
  try {
    return parseEnv(readFileSync(resolve(folder, file), 'utf8')) as Record<string, string>;
  } catch {
    throw new UnresolvedReference(`envFile: ${file}: the file cannot be read`);
  }
}
