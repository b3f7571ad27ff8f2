/** The only reader of the environment. Read once, at the start. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { isJsonObject } from '../../base/json/json.ts';
import { makeRuleSet, type RuleSet } from '../../redaction/rule-set.ts';
import { ConfigError } from './config-error.ts';
import { isYaml, readConfigFile } from './file.ts';
import { type Environment, type ReferenceScope, resolveDeep, UnresolvedReference } from './interpolation.ts';
import { configKeys } from './keys.ts';
import { describeProblems } from './problems.ts';
import { ConfigSchema, type Settings } from './schema.ts';
import { checksThatWrite } from './tool-overrides.ts';
import { type ConfiguredUpstream, configuredUpstreams } from './upstreams.ts';

export interface Config {
  readonly settings: Settings;
  readonly upstreams: readonly ConfiguredUpstream[];
  /** The file it came from; undefined where there is none and defaults do. */
  readonly file: string | undefined;
  /** What the file itself says, before defaults: for `config explain`. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly stateFolder: string;
  readonly sqliteFile: string;
  /** What a child process may know of this one. */
  readonly childEnvironment: Readonly<Record<string, string>>;
}

export interface ConfigRequest {
  readonly file?: string | undefined;
  /** Given by the caller instead of a file, for embedding and for the demo. */
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
  const written = request.settings ?? (file ? settingsIn(file) : {});
  const scope: ReferenceScope = { env, folder };
  const parsed = ConfigSchema.safeParse(written);
  const { upstreams, problems } = configuredUpstreams(written, scope);
  const wrong = [
    ...(parsed.success ? [] : describeProblems(parsed.error)),
    ...problems,
    ...(parsed.success ? checksThatWrite(parsed.data.tools) : []),
    ...unresolvedIn('store', written.store, scope),
    ...unresolvedIn('telemetry', written.telemetry, scope),
  ];
  if (!parsed.success || wrong.length > 0) throw new ConfigError(file, [...new Set(wrong)]);
  const store = resolveDeep(parsed.data.store, scope);
  const stateFolder =
    env.TOOLGATE_HOME ?? join(env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'toolgate');
  return {
    settings: { ...parsed.data, store, telemetry: resolveDeep(parsed.data.telemetry, scope) },
    upstreams,
    file,
    written,
    stateFolder,
    sqliteFile: sqliteFileOf(store, { folder, stateFolder }),
    childEnvironment: getDefaultEnvironment(),
  };
}

function sqliteFileOf(
  { sqlite }: Settings['store'],
  { folder, stateFolder }: { readonly folder: string; readonly stateFolder: string },
): string {
  if (sqlite === undefined) return join(stateFolder, 'toolgate.sqlite');
  // SQLite's own name for a store that lives as long as the process.
  return sqlite === ':memory:' ? sqlite : resolve(folder, sqlite);
}

/** What counts as a secret, as this config says. A rule that cannot be used is a mistake in the file. */
export function collectSecrets({ settings, file }: Pick<Config, 'settings' | 'file'>): RuleSet {
  try {
    return makeRuleSet(settings.redaction);
  } catch (thrown) {
    throw new ConfigError(file, [`redaction: ${(thrown as Error).message}`]);
  }
}

/** `--config`, then TOOLGATE_CONFIG, then the present folder, then the user's own. */
function findConfigFile(asked: string | undefined, env: Environment): string | undefined {
  const named = asked ?? env.TOOLGATE_CONFIG;
  if (named !== undefined) {
    const file = resolve(named);
    if (!existsSync(file)) throw new ConfigError(file, ['the file does not exist']);
    return file;
  }
  const folders = [process.cwd(), join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'toolgate')];
  return folders.flatMap((folder) => CONFIG_FILE_NAMES.map((name) => join(folder, name))).find(existsSync);
}

/** What a file says to us: all of our own, and of a client's the servers. */
function settingsIn(file: string): Readonly<Record<string, unknown>> {
  const read = readConfigFile(file);
  if (!isClientFile(file, read)) return read;
  return Object.fromEntries(Object.entries(read).filter(([key]) => CLIENT_KEYS.includes(key)));
}

/**
 * A client's own file holds its servers among its own settings, which are none of our business. No client writes YAML,
 * and a file that bears our name or one of our keys is ours: there an unknown key is a mistake.
 */
function isClientFile(file: string, read: Readonly<Record<string, unknown>>): boolean {
  if (isYaml(file) || CONFIG_FILE_NAMES.includes(basename(file))) return false;
  const ours = configKeys().filter((key) => key !== '$schema' && !CLIENT_KEYS.includes(key));
  return !ours.some((key) => key in read) && CLIENT_KEYS.some((key) => isJsonObject(read[key]));
}

function unresolvedIn(key: string, value: unknown, scope: ReferenceScope): string[] {
  try {
    resolveDeep(value, scope);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
    return [`${key}: ${thrown.message}`];
  }
}
