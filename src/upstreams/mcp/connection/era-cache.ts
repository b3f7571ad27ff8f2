import { createHash } from 'node:crypto';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { canonicalJson } from '../../../base/json/canonical-json.ts';
import type { McpTarget } from './target.ts';

/** The protocol era to use: found out by a probe, or fixed by the config. */
export type Era = 'auto' | 2025 | 2026;

/**
 * Remembers the protocol era of a server: on stdio, probing it costs a process. A persistent cache must let entries
 * expire, because an upgraded server still accepts the older era and would never be probed again.
 */
export interface EraCache {
  recall(key: string): PriorDiscovery | undefined;
  remember(key: string, verdict: PriorDiscovery): void;
  forget(key: string): void;
}

/** Command, address, environment and headers are all in the key: a server may answer differently for each. */
export function eraKey(target: McpTarget): string {
  return createHash('sha256').update(canonicalJson(target)).digest('hex');
}

export function eraCache(): EraCache {
  const verdicts = new Map<string, PriorDiscovery>();
  return {
    recall: (key) => verdicts.get(key),
    remember: (key, verdict) => void verdicts.set(key, verdict),
    forget: (key) => void verdicts.delete(key),
  };
}
