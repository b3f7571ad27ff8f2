import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject } from '../../base/json/json.ts';
import { createPrivateFolder } from '../../stores/shared/private-files.ts';
import type { EraCache } from '../../upstreams/mcp/connection/era-cache.ts';

type Verdict = Parameters<EraCache['remember']>[1];

interface Entry {
  readonly at: number;
  readonly verdict: Verdict;
}

const MAX_AGE_MS = 7 * 24 * 3_600_000;

/**
 * Keeps the protocol era of each server across restarts, which saves a probe process at every start. An entry expires
 * after a week. The file is only a cache: an unreadable one counts as empty.
 */
export function openEraCache(file: string): EraCache {
  const entries = readEntries(file);
  const write = (): void => {
    try {
      createPrivateFolder(dirname(file));
      writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
    } catch {
      // Without the file the next start is slower, and still correct.
    }
  };
  const recall = (key: string): Verdict | undefined => {
    const entry = entries.get(key);
    return entry && isFresh(entry) ? entry.verdict : undefined;
  };
  return {
    recall,
    remember: (key, verdict) => {
      if (recall(key)?.kind === verdict.kind) return;
      entries.set(key, { at: Date.now(), verdict });
      write();
    },
    forget: (key) => {
      if (entries.delete(key)) write();
    },
  };
}

/** A date in the future comes from a wrong clock and must not keep an entry forever. */
function isFresh({ at }: Entry): boolean {
  return at <= Date.now() && Date.now() - at < MAX_AGE_MS;
}

function readEntries(file: string): Map<string, Entry> {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const members = isJsonObject(content) ? Object.entries(content) : [];
    return new Map(members.flatMap(([key, entry]) => (isEntry(entry) ? [[key, entry] as const] : [])));
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is Entry {
  if (!isJsonObject(entry) || typeof entry.at !== 'number' || !isJsonObject(entry.verdict)) return false;
  const { kind, discover } = entry.verdict;
  return kind === 'legacy' || (kind === 'modern' && isJsonObject(discover));
}
