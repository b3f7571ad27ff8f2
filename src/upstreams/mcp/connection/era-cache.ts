import { createHash } from 'node:crypto';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { canonicalJson } from '../../../base/json/canonical-json.ts';
import type { McpTarget } from './target.ts';

/**
 * Which protocol era a server speaks. Asking costs a process on stdio, so the answer is kept; it carries a date, since
 * an upgraded server still answers the old way for ever.
 */
export interface EraCache {
  recall(key: string): PriorDiscovery | undefined;
  remember(key: string, verdict: PriorDiscovery): void;
  forget(key: string): void;
}

/** One verdict for one server under one authorization: command, address, environment and headers are all in the key. */
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
