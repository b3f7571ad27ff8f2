import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { repairNamespace } from '../../contract/tool/tool-id.ts';
import { findUnknownKeys, parseClientEntry } from '../config/client-entry.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfigFile } from '../config/file.ts';
import { describeProblems } from '../config/problems.ts';
import type { ClientFile } from './client-files.ts';

type Entry = Readonly<Record<string, unknown>>;

export interface PlannedUpstream {
  readonly name: string;
  readonly from: string;
  /**
   * `same`: the target has it already. `self`: the entry is Toolgate, which must not be its own upstream. `invalid`: the
   * entry cannot be used, and is left out.
   */
  readonly action: 'add' | 'same' | 'self' | 'invalid';
  readonly entry: Entry;
  /** What is off, what is not understood, or what is wrong: a sentence each. */
  readonly notes: readonly string[];
}

export interface ImportPlan {
  readonly target: string;
  readonly upstreams: readonly PlannedUpstream[];
}

/** Plans an import: the servers of every client, under names that do not collide. */
export function planImport(files: readonly ClientFile[], target: string): ImportPlan {
  const file = resolve(target);
  const taken = new Map<string, string>();
  for (const [name, entry] of Object.entries(readTargetServers(file)))
    taken.set(repairNamespace(name), canonicalJson(entry));
  const upstreams: PlannedUpstream[] = [];
  for (const { client, servers } of files) {
    for (const [key, entry] of Object.entries(servers)) {
      if (isToolgate(entry)) {
        upstreams.push({ name: key, from: client, action: 'self', entry, notes: [] });
        continue;
      }
      const { notes, isValid } = inspectEntry(entry);
      if (!isValid) {
        upstreams.push({ name: key, from: client, action: 'invalid', entry, notes });
        continue;
      }
      const content = canonicalJson(entry);
      const name = freeName(repairNamespace(key), content, taken);
      upstreams.push({ name, from: client, action: taken.has(name) ? 'same' : 'add', entry, notes });
      taken.set(name, content);
    }
  }
  return { target: file, upstreams };
}

/** One bad entry does not stop the import of the others. */
function inspectEntry(entry: Entry): { readonly isValid: boolean; readonly notes: readonly string[] } {
  const unknown = findUnknownKeys(entry);
  try {
    const { enabled, tools } = parseClientEntry(entry);
    const notes = [
      ...(enabled ? [] : ['disabled']),
      ...(tools.deny.length > 0 ? [`tools that stay off: ${tools.deny.join(', ')}`] : []),
      ...(tools.allow ? [`only these tools are on: ${tools.allow.join(', ')}`] : []),
    ];
    return { isValid: true, notes: [...notes, ...unknown] };
  } catch (thrown) {
    if (!(thrown instanceof z.ZodError)) throw thrown;
    return { isValid: false, notes: [...describeProblems(thrown, ['entry']), ...unknown] };
  }
}

function freeName(base: string, content: string, taken: ReadonlyMap<string, string>): string {
  let name = base;
  for (let n = 2; taken.has(name) && taken.get(name) !== content; n++) name = `${base.slice(0, 60)}-${n}`;
  return name;
}

function readTargetServers(target: string): Entry {
  if (!existsSync(target)) return {};
  const { upstreams, mcpServers, servers } = readConfigFile(target);
  const maps = [upstreams, mcpServers, servers].filter((map) => map !== undefined && map !== null);
  if (!maps.every(isJsonObject))
    throw new ConfigError(target, [
      'upstreams, mcpServers and servers must be objects with one key per server',
    ]);
  return Object.assign({}, ...maps);
}

const LAUNCHERS = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|node|deno)(?:\.cmd|\.exe)?$/;
const TOOLGATE_ADDRESS = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):7332\/mcp\b/;

/** Recognizes Toolgate by its command, by the package or script that a launcher runs, or by its default address. */
function isToolgate({ command, args, url, serverUrl }: Entry): boolean {
  if ([url, serverUrl].some((address) => typeof address === 'string' && TOOLGATE_ADDRESS.test(address)))
    return true;
  const program = fileName(command);
  if (/^toolgate(?:\.cmd|\.js)?$/.test(program)) return true;
  // Any server may take a folder named toolgate as an argument; only a package or a script of that name is Toolgate.
  const launched = LAUNCHERS.test(program) && Array.isArray(args) ? args : [];
  return launched.some((arg) => /^toolgate(?:@.+)?$/.test(String(arg)) || fileName(arg) === 'toolgate.js');
}

function fileName(path: unknown): string {
  return typeof path === 'string'
    ? path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    : '';
}
