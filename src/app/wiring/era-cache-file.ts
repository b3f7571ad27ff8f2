import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject } from '../../base/json/json.ts';
import type { EraCache } from '../../upstreams/mcp/connection/era-cache.ts';

type Verdict = Parameters<EraCache['remember']>[1];

interface Dated {
  readonly at: number;
  readonly verdict: Verdict;
}

const FRESH_MS = 7 * 24 * 3_600_000;

/**
 * Remembers across starts which era each server speaks, so that it is not asked by a second process every time. A
 * verdict older than a week is asked for again. The file is a convenience: unreadable, it is as good as empty.
 */
export function eraFile(file: string): EraCache {
  const verdicts = read(file);
  const write = (): void => {
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(verdicts)));
      renameSync(`${file}.${process.pid}`, file);
    } catch {
      // Without it the next start is slower, and no less right.
    }
  };
  const recall = (key: string): Verdict | undefined => {
    const known = verdicts.get(key);
    return known && isFresh(known) ? known.verdict : undefined;
  };
  return {
    recall,
    remember: (key, verdict) => {
      if (recall(key)?.kind === verdict.kind) return;
      verdicts.set(key, { at: Date.now(), verdict });
      write();
    },
    forget: (key) => {
      if (verdicts.delete(key)) write();
    },
  };
}

/** A date to come is a clock that was wrong; it must not make a verdict last for ever. */
function isFresh({ at }: Dated): boolean {
  return at <= Date.now() && Date.now() - at < FRESH_MS;
}

function read(file: string): Map<string, Dated> {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = isJsonObject(kept) ? Object.entries(kept) : [];
    return new Map(entries.flatMap(([key, entry]) => (isDated(entry) ? [[key, entry] as const] : [])));
  } catch {
    return new Map();
  }
}

function isDated(entry: unknown): entry is Dated {
  if (!isJsonObject(entry) || typeof entry.at !== 'number' || !isJsonObject(entry.verdict)) return false;
  const { kind, discover } = entry.verdict;
  return kind === 'legacy' || (kind === 'modern' && isJsonObject(discover));
}
