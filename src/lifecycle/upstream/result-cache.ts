import { LRUCache } from 'lru-cache';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import { ToolKeys } from '../../catalog/tool-keys.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { StoredResult } from '../idempotency/stored-result.ts';
import type { AuthorizedCall } from '../states.ts';

export interface CacheOptions {
  /** Tools by id, `namespace:name` or pattern; absent: every tool that declares itself read-only. */
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
 * Results of read-only tools, for a limited time. An operator must enable it, because "read-only" is the upstream's own
 * claim. Nothing is shared between callers, and a new catalog snapshot starts empty.
 */
export class ResultCache {
  readonly #options: CacheOptions;
  readonly #allowed: ToolKeys | undefined;
  readonly #entries = new WeakMap<CatalogSnapshot, LRUCache<string, StoredResult>>();

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#allowed = options.allow && new ToolKeys(options.allow);
  }

  /** A cache hit, or undefined. */
  get(snapshot: CatalogSnapshot, key: CacheKey): StoredResult | undefined {
    return this.#holds(key.contract) ? this.#entries.get(snapshot)?.get(nameOf(key)) : undefined;
  }

  put(snapshot: CatalogSnapshot, key: CacheKey, stored: StoredResult): void {
    if (!this.#holds(key.contract) || stored.result.isError) return;
    const { ttlMs, maxEntries } = this.#options;
    const entries = this.#entries.get(snapshot) ?? new LRUCache({ max: maxEntries, ttl: ttlMs });
    this.#entries.set(snapshot, entries);
    entries.set(nameOf(key), stored);
  }

  #holds(contract: ToolContract): boolean {
    if (contract.mutation !== 'read_only') return false;
    return this.#allowed === undefined || this.#allowed.matching(contract).length > 0;
  }
}

function nameOf({ owner, contract, inputHash }: CacheKey): string {
  return JSON.stringify([owner, contract.id, inputHash]);
}

export function cacheKeyOf({ contract, record, input }: AuthorizedCall): CacheKey {
  return { owner: ownerOf(record.request.caller.principal), contract, inputHash: input.inputHash };
}
