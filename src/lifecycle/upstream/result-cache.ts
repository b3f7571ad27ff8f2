import { LRUCache } from 'lru-cache';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { StoredResult } from '../idempotency/stored-result.ts';
import type { AuthorizedCall } from '../states.ts';

export interface CacheOptions {
  /** `namespace:name` or ids; every tool that says of itself that it only reads, where absent. */
  readonly allow?: readonly string[] | undefined;
  readonly ttlMs: number;
  readonly maxEntries: number;
}

export interface CacheKey {
  readonly owner: string;
  readonly contract: ToolContract;
  /** Over the canonical form of the arguments: their order does not matter. */
  readonly inputHash: string;
}

/**
 * Answers of tools that only read, for a while. An operator must ask for it: that a tool only reads is what its upstream
 * says. Nothing crosses callers, and a new catalog begins with nothing.
 */
export class ResultCache {
  readonly #options: CacheOptions;
  readonly #entries = new WeakMap<CatalogSnapshot, LRUCache<string, StoredResult>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  get(snapshot: CatalogSnapshot, key: CacheKey): StoredResult | undefined {
    return this.#holds(key.contract) ? this.#entries.get(snapshot)?.get(nameOf(key)) : undefined;
  }

  put(snapshot: CatalogSnapshot, key: CacheKey, kept: StoredResult): void {
    if (!this.#holds(key.contract) || kept.result.isError) return;
    const { ttlMs, maxEntries } = this.#options;
    const entries = this.#entries.get(snapshot) ?? new LRUCache({ max: maxEntries, ttl: ttlMs });
    this.#entries.set(snapshot, entries);
    entries.set(nameOf(key), kept);
  }

  #holds({ id, namespace, name, mutation }: ToolContract): boolean {
    if (mutation !== 'read_only') return false;
    const { allow } = this.#options;
    return allow === undefined || allow.includes(id) || allow.includes(`${namespace}:${name}`);
  }
}

function nameOf({ owner, contract, inputHash }: CacheKey): string {
  return JSON.stringify([owner, contract.id, inputHash]);
}

export function cacheKeyOf({ contract, record }: AuthorizedCall): CacheKey {
  return { owner: ownerOf(record.request.principal), contract, inputHash: record.inputHash! };
}
