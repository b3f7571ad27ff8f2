import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { canonicalJson } from '../contract/canonical-json.ts';
import { isJsonObject } from '../contract/json.ts';
import { repairNamespace } from '../contract/tool-id.ts';
import type { ClientFile } from './client-files.ts';
import { readConfigFile } from './config.ts';
import { ConfigError } from './config-error.ts';

export interface PlannedUpstream {
  readonly name: string;
  readonly from: string;
  /** `same`: it is there already. `self`: it is Toolgate, which must not serve itself. */
  readonly action: 'add' | 'same' | 'self';
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface ImportPlan {
  readonly target: string;
  readonly upstreams: readonly PlannedUpstream[];
}

/** What an import would do: servers of every client under names that do not meet. */
export function planImport(files: readonly ClientFile[], target: string): ImportPlan {
  const taken = new Map<string, string>();
  for (const [name, entry] of Object.entries(presentServers(resolve(target))))
    taken.set(name, canonicalJson(entry));
  const upstreams: PlannedUpstream[] = [];
  for (const { client, servers } of files) {
    for (const [key, entry] of Object.entries(servers)) {
      if (isToolgate(entry)) {
        upstreams.push({ name: key, from: client, action: 'self', entry });
        continue;
      }
      const content = canonicalJson(entry);
      const base = repairNamespace(key);
      let name = base;
      for (let n = 2; taken.has(name) && taken.get(name) !== content; n++) name = `${base.slice(0, 60)}-${n}`;
      upstreams.push({ name, from: client, action: taken.has(name) ? 'same' : 'add', entry });
      taken.set(name, content);
    }
  }
  return { target: resolve(target), upstreams };
}

/** Writes the plan beside the file and then over it: at no moment is there half a config. */
export function writeImport({ target, upstreams }: ImportPlan): { readonly backup: string | undefined } {
  const present = existsSync(target) ? readConfigFile(target) : {};
  const added = upstreams.filter(({ action }) => action === 'add').map(({ name, entry }) => [name, entry]);
  const mcpServers = {
    ...(isJsonObject(present.mcpServers) ? present.mcpServers : {}),
    ...Object.fromEntries(added),
  };
  const merged = { ...present, mcpServers };
  const backup = existsSync(target)
    ? `${target}.${new Date().toISOString().replaceAll(':', '-')}.bak`
    : undefined;
  if (backup) copyFileSync(target, backup);
  const text = /\.jsonc?$/.test(target) ? `${JSON.stringify(merged, null, 2)}\n` : stringify(merged);
  // Client configs hold secrets in plain text; nobody else on the machine needs to read the copy.
  writeFileSync(`${target}.new`, text, { mode: 0o600 });
  renameSync(`${target}.new`, target);
  return { backup };
}

function presentServers(target: string): Record<string, unknown> {
  if (!existsSync(target)) return {};
  const { upstreams, mcpServers, servers } = readConfigFile(target);
  const maps = [upstreams, mcpServers, servers].filter((map) => map !== undefined);
  if (!maps.every(isJsonObject)) throw new ConfigError(target, ['its servers are not keys and values']);
  return Object.assign({}, ...maps);
}

function isToolgate({ command, args }: Readonly<Record<string, unknown>>): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  return words.some((word) => /(^|[\\/])toolgate(\.js)?$|^toolgate(@.+)?$/.test(word));
}
