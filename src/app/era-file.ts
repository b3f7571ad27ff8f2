import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EraMemory } from '../upstreams/mcp/era-memory.ts';

type Verdict = Parameters<EraMemory['remember']>[1];

const FRESH_MS = 7 * 24 * 3_600_000;

/**
 * Remembers across starts which era each server speaks, so that it is not asked by a second process every time. A
 * verdict older than a week is asked for again. The file is a convenience: unreadable, it is as good as empty.
 */
export function eraFile(file: string): EraMemory {
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
  return {
    recall: (key) => {
      const known = verdicts.get(key);
      return known && Date.now() - known.at < FRESH_MS ? known.verdict : undefined;
    },
    remember: (key, verdict) => {
      const known = verdicts.get(key);
      if (known?.verdict.kind === verdict.kind && Date.now() - known.at < FRESH_MS) return;
      verdicts.set(key, { at: Date.now(), verdict });
      write();
    },
    forget: (key) => {
      if (verdicts.delete(key)) write();
    },
  };
}

function read(file: string): Map<string, { at: number; verdict: Verdict }> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return new Map();
  }
}
