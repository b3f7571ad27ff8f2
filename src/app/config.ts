/** The only reader of the environment, and the only reader of the config file. Read once, at the start. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { isJsonObject } from '../contract/json.ts';
import { repairNamespace } from '../contract/tool-id.ts';
import { fromClientEntry } from './client-entry.ts';
import { ConfigError } from './config-error.ts';
import { problemsIn } from './config-problems.ts';
import { ConfigSchema, type Settings, type UpstreamSettings } from './config-schema.ts';
import { type Environment, resolveDeep, UnresolvedReference } from './references.ts';

export interface ConfiguredUpstream {
  readonly namespace: string;
  readonly settings: UpstreamSettings;
  /** Why it cannot be started as configured, for example a secret that is not there. */
  readonly unusable: string | undefined;
}

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
  readonly written?: Readonly<Record<string, unknown>>;
}

export const CONFIG_FILE_NAMES = [
  'toolgate.yaml',
  'toolgate.yml',
  'toolgate.json',
  'toolgate.jsonc',
] as const;
const CLIENT_KEYS = ['mcpServers', 'servers'];

export function loadConfig(request: ConfigRequest = {}): Config {
  const env: Environment = process.env;
  const file = request.written ? undefined : findConfigFile(request.file, env);
  const folder = file ? dirname(file) : process.cwd();
  const read = request.written ?? (file ? readConfigFile(file) : {});
  const written = isClientFile(read) ? onlyServers(read) : read;
  const parsed = ConfigSchema.safeParse(written);
  if (!parsed.success) throw new ConfigError(file, problemsIn(parsed.error));
  const settings = parsed.data;
  const stateFolder =
    env.TOOLGATE_HOME ?? join(env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'toolgate');
  if (settings.store.postgres !== undefined) {
    try {
      settings.store.postgres = resolveDeep(settings.store.postgres, { env, folder });
    } catch (thrown) {
      throw new ConfigError(file, [`store.postgres: ${messageOf(thrown)}`]);
    }
  }
  return {
    settings,
    upstreams: configuredUpstreams(settings, { file, folder, env }),
    file,
    written,
    stateFolder,
    sqliteFile: sqliteFile(settings, { folder, stateFolder }),
    childEnvironment: getDefaultEnvironment(),
  };
}

function sqliteFile(
  { store }: Settings,
  from: { readonly folder: string; readonly stateFolder: string },
): string {
  if (store.sqlite === undefined) return join(from.stateFolder, 'toolgate.sqlite');
  return store.sqlite === ':memory:' ? store.sqlite : resolve(from.folder, store.sqlite);
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

export function readConfigFile(file: string): Record<string, unknown> {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const value = /\.ya?ml$/.test(file) ? readYaml(file, text) : readJsonc(file, text);
  if (value === null || value === undefined) return {};
  if (!isJsonObject(value))
    throw new ConfigError(file, ['it must hold keys and values, not a list or a single value']);
  return value;
}

function readYaml(file: string, text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 100 });
  } catch (thrown) {
    throw new ConfigError(file, [`not YAML: ${messageOf(thrown).split('\n')[0]}`]);
  }
}

function readJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new ConfigError(file, [`not JSON: ${printParseErrorCode(first.error)} in line ${line}`]);
  }
  return value;
}

/** A client's own file holds its servers among its own settings, which are none of our business. */
function isClientFile(written: Readonly<Record<string, unknown>>): boolean {
  const ours = Object.keys(written).some((key) => OUR_KEYS.has(key));
  return !ours && CLIENT_KEYS.some((key) => isJsonObject(written[key]));
}

const OUR_KEYS = new Set([
  'profile',
  'surface',
  'server',
  'store',
  'catalog',
  'results',
  'identity',
  'log',
  'upstreams',
]);

function onlyServers(written: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(written).filter(([key]) => CLIENT_KEYS.includes(key)));
}

interface Origin {
  readonly file: string | undefined;
  readonly folder: string;
  readonly env: Environment;
}

function configuredUpstreams(settings: Settings, { file, folder, env }: Origin): ConfiguredUpstream[] {
  const problems: string[] = [];
  const byNamespace = new Map<string, ConfiguredUpstream>();
  const add = (key: string, at: string, read: () => UpstreamSettings): void => {
    const namespace = repairNamespace(key);
    if (byNamespace.has(namespace))
      problems.push(`${at}: another upstream already has the namespace "${namespace}"`);
    try {
      const entry = read();
      byNamespace.set(namespace, { namespace, ...resolved(entry, { env, folder }) });
    } catch (thrown) {
      problems.push(
        ...(thrown instanceof z.ZodError ? problemsIn(thrown, at) : [`${at}: ${messageOf(thrown)}`]),
      );
    }
  };
  for (const [key, entry] of Object.entries(settings.upstreams)) add(key, `upstreams.${key}`, () => entry);
  for (const form of ['mcpServers', 'servers'] as const) {
    for (const [key, entry] of Object.entries(settings[form]))
      add(key, `${form}.${key}`, () => fromClientEntry(entry));
  }
  if (problems.length > 0) throw new ConfigError(file, problems);
  return [...byNamespace.values()];
}

/** A secret that is missing is a state of its upstream, not a reason to stop the others. */
function resolved(
  settings: UpstreamSettings,
  scope: { readonly env: Environment; readonly folder: string },
): Pick<ConfiguredUpstream, 'settings' | 'unusable'> {
  try {
    const ready = resolveDeep(settings, scope);
    return {
      settings: { ...ready, ...(ready.cwd && { cwd: resolve(scope.folder, ready.cwd) }) },
      unusable: undefined,
    };
  } catch (thrown) {
    if (thrown instanceof UnresolvedReference) return { settings, unusable: thrown.message };
    throw thrown;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
