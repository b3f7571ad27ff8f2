/** The only module that reads the environment; it does so once, at startup. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isJsonObject } from '../../base/json/json.ts';
import { makeRuleSet, type RuleSet } from '../../redaction/rule-set.ts';
import {
  inheritedEnvironment,
  registryEnvironment,
} from '../../upstreams/mcp/connection/stdio/child-environment.ts';
import { ConfigError } from './config-error.ts';
import { isYaml, readConfigFile } from './file.ts';
import { type Environment, type ReferenceScope, resolveDeep, UnresolvedReference } from './interpolation.ts';
import { configKeys } from './keys.ts';
import { describeProblems } from './problems.ts';
import { ConfigSchema } from './schema.ts';
import type { Settings } from './settings.ts';
import { findWritingChecks } from './tool-overrides.ts';
import { type ConfiguredUpstream, readUpstreams } from './upstreams.ts';

export interface Config {
  readonly settings: Settings;
  readonly upstreams: readonly ConfiguredUpstream[];
  /** The file that was read; undefined where no file exists and the defaults apply. */
  readonly file: string | undefined;
  /** Keys of the file that have no effect: a sentence each. */
  readonly findings: readonly string[];
  /** The content of the file before defaults, for `config explain`. */
  readonly rawSettings: Readonly<Record<string, unknown>>;
  readonly stateFolder: string;
  readonly sqliteFile: string;
  /** The environment variables that child processes inherit. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  /** Further variables that package runners inherit, such as npx. */
  readonly registryEnvironment: Readonly<Record<string, string>>;
}

export interface ConfigRequest {
  readonly file?: string | undefined;
  /** Used instead of a file, by programs that embed the gateway. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const CONFIG_FILE_NAMES: readonly string[] = [
  'toolgate.yaml',
  'toolgate.yml',
  'toolgate.json',
  'toolgate.jsonc',
];
const CLIENT_KEYS: readonly string[] = ['mcpServers', 'servers'];

export function loadConfig(request: ConfigRequest = {}): Config {
  const env: Environment = process.env;
  const file = request.settings ? undefined : findConfigFile(request.file, env);
  const folder = file ? dirname(file) : process.cwd();
  const rawSettings = request.settings ?? (file ? readSettings(file) : {});
  const scope: ReferenceScope = { env, folder };
  const parsed = ConfigSchema.safeParse(rawSettings);
  const { upstreams, findings, problems: upstreamProblems } = readUpstreams(rawSettings, scope);
  const problems = [
    ...(parsed.success ? [] : describeProblems(parsed.error)),
    ...upstreamProblems,
    ...(parsed.success ? findWritingChecks(parsed.data.tools) : []),
    ...findUnresolved('store', rawSettings.store, scope),
    ...findUnresolved('telemetry', rawSettings.telemetry, scope),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(file, [...new Set(problems)]);
  const store = resolveDeep(parsed.data.store, scope);
  const stateFolder =
    env.TOOLGATE_HOME ?? join(env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'toolgate');
  return {
    settings: { ...parsed.data, store, telemetry: resolveDeep(parsed.data.telemetry, scope) },
    upstreams,
    findings,
    file,
    rawSettings,
    stateFolder,
    sqliteFile: sqliteFileOf(store, { folder, stateFolder }),
    childEnvironment: inheritedEnvironment(env),
    registryEnvironment: registryEnvironment(env),
  };
}

function sqliteFileOf(
  { sqlite }: Settings['store'],
  { folder, stateFolder }: { readonly folder: string; readonly stateFolder: string },
): string {
  if (sqlite === undefined) return join(stateFolder, 'toolgate.sqlite');
  // SQLite's name for a database in memory, which ends with the process.
  return sqlite === ':memory:' ? sqlite : resolve(folder, sqlite);
}

/** Builds the redaction rules of this config. An invalid rule is a problem of the config file. */
export function redactionRulesOf({ settings, file }: Pick<Config, 'settings' | 'file'>): RuleSet {
  try {
    return makeRuleSet(settings.redaction);
  } catch (thrown) {
    throw new ConfigError(file, [`redaction: ${(thrown as Error).message}`]);
  }
}

/** Searches `--config`, TOOLGATE_CONFIG, the current folder and the user's config folder, in this order. */
function findConfigFile(requested: string | undefined, env: Environment): string | undefined {
  const named = requested ?? env.TOOLGATE_CONFIG;
  if (named !== undefined) {
    const file = resolve(named);
    if (!existsSync(file)) throw new ConfigError(file, ['the file does not exist']);
    return file;
  }
  const folders = [process.cwd(), join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'toolgate')];
  return folders.flatMap((folder) => CONFIG_FILE_NAMES.map((name) => join(folder, name))).find(existsSync);
}

/** Reads all of a Toolgate file, and only the servers of an MCP client's file. */
function readSettings(file: string): Readonly<Record<string, unknown>> {
  const content = readConfigFile(file);
  if (!isClientFile(file, content)) return content;
  return Object.fromEntries(Object.entries(content).filter(([key]) => CLIENT_KEYS.includes(key)));
}

/**
 * An MCP client's file holds servers among settings of the client, which are ignored. No client writes YAML, and a file
 * with Toolgate's name or one of its keys is a Toolgate file, where an unknown key is an error.
 */
function isClientFile(file: string, content: Readonly<Record<string, unknown>>): boolean {
  if (isYaml(file) || CONFIG_FILE_NAMES.includes(basename(file))) return false;
  const ownKeys = configKeys().filter((key) => key !== '$schema' && !CLIENT_KEYS.includes(key));
  return !ownKeys.some((key) => key in content) && CLIENT_KEYS.some((key) => isJsonObject(content[key]));
}

function findUnresolved(key: string, value: unknown, scope: ReferenceScope): string[] {
  try {
    resolveDeep(value, scope);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
    return [`${key}: ${thrown.message}`];
  }
}
