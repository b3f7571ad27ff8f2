import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { runCooperatively } from '../base/async/cooperative.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Principal } from '../contract/call/principal.ts';
import type { UsagePair, UsageStore } from '../contract/ports/usage-store.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { ExampleOverlay, ToolExamples } from './ranking/examples.ts';
import { RANKING_SLICE_MS, type Ranker } from './ranking/ranker.ts';

/** Which callers share the examples that are learned from their calls. */
export type LearningScope = 'off' | 'principal' | 'tenant';

export interface UsageExamplesOptions {
  readonly store: UsageStore;
  readonly learning: LearningScope;
  /** How long a snapshot of the learned pairs is used before it is read again. */
  readonly refreshMs: number;
}

/** The learned pairs that a ranking uses, as they were at one moment, with their digest. */
export interface UsageSnapshot {
  readonly digest: string;
  readonly pairs: readonly UsagePair[];
}

interface ShownTools {
  readonly request: string;
  readonly ids: ReadonlySet<string>;
}

const MAX_OWNERS = 1_000;
const MAX_RECENT_REQUESTS = 8;
const RECENT_REQUEST_TTL_MS = 10 * 60_000;
const MAX_REQUEST_LENGTH = 300;
/** One or two calls may be chance, so a tool's learned examples have full weight only from this many calls on. */
const CALLS_FOR_FULL_TRUST = 3;

/**
 * Requests that tools are known to match: the examples of their contracts and, where learning is on, what the caller
 * requested before a successful call. A ranking reads a snapshot of them, so the same request gives the same result.
 */
export class UsageExamples {
  readonly #options: UsageExamplesOptions;
  readonly #recent: LRUCache<string, readonly ShownTools[]>;
  readonly #snapshots: LRUCache<string, Promise<UsageSnapshot>>;
  readonly #overlays = new WeakMap<Ranker, LRUCache<string, Promise<ExampleOverlay>>>();

  constructor(options: UsageExamplesOptions) {
    this.#options = options;
    this.#recent = new LRUCache({ max: MAX_OWNERS, ttl: RECENT_REQUEST_TTL_MS });
    this.#snapshots = new LRUCache({ max: MAX_OWNERS, ttl: options.refreshMs });
  }

  /** The examples for this caller, as an overlay on the ranker that all callers share. */
  async overlayFor(principal: Principal, snapshot: CatalogSnapshot, ranker: Ranker): Promise<ExampleOverlay> {
    const { digest, pairs } = await this.#snapshotFor(usageOwnerOf(principal, this.#options.learning));
    const overlays = this.#overlays.get(ranker) ?? new LRUCache({ max: MAX_OWNERS });
    this.#overlays.set(ranker, overlays);
    let overlay = overlays.get(digest);
    if (!overlay) {
      overlay = runCooperatively(ranker.overlay(examplesFor(snapshot, pairs)), RANKING_SLICE_MS);
      overlays.set(digest, overlay);
    }
    return overlay;
  }

  /** Records which tools a browse returned for the caller's request. */
  recordBrowse(principal: Principal, request: string, ids: readonly string[]): void {
    const owner = usageOwnerOf(principal, this.#options.learning);
    if (owner === undefined) return;
    const earlier = this.#recent.get(owner) ?? [];
    const latest = { request: request.slice(0, MAX_REQUEST_LENGTH), ids: new Set(ids) };
    this.#recent.set(owner, [latest, ...earlier].slice(0, MAX_RECENT_REQUESTS));
  }

  /** Records a successful call: the latest request that returned this tool becomes an example of it. */
  async recordCall(principal: Principal, { id, namespace, name }: ToolContract): Promise<void> {
    const owner = usageOwnerOf(principal, this.#options.learning);
    if (owner === undefined) return;
    const match = this.#recent.get(owner)?.find(({ ids }) => ids.has(id));
    if (match)
      await this.#options.store.record(owner, { request: match.request, tool: `${namespace}:${name}` });
  }

  #snapshotFor(owner: string | undefined): Promise<UsageSnapshot> {
    if (owner === undefined) return Promise.resolve(EMPTY_SNAPSHOT);
    let snapshot = this.#snapshots.get(owner);
    if (!snapshot) {
      snapshot = this.#options.store.list(owner).then(usageSnapshotOf);
      this.#snapshots.set(owner, snapshot);
      // A failed read must not be cached as long as a snapshot is.
      snapshot.catch(() => this.#snapshots.delete(owner));
    }
    return snapshot;
  }
}

const EMPTY_SNAPSHOT = usageSnapshotOf([]);

export function usageSnapshotOf(pairs: readonly UsagePair[]): UsageSnapshot {
  return { digest: hash('sha256', JSON.stringify(pairs)).slice(0, 16), pairs };
}

/**
 * The key under which examples are stored. Owners never share examples, and a caller without a tenant shares with no
 * other caller. JSON keeps the parts of the key apart.
 */
export function usageOwnerOf({ tenant, id }: Principal, learning: LearningScope): string | undefined {
  if (learning === 'off') return undefined;
  return JSON.stringify(learning === 'tenant' && tenant !== undefined ? [tenant] : [tenant ?? null, id]);
}

function examplesFor({ contracts }: CatalogSnapshot, pairs: readonly UsagePair[]): ToolExamples[] {
  const pairsByTool = Map.groupBy(pairs, ({ tool }) => tool);
  return contracts.flatMap((contract) => {
    const declared = contract.examples.map(({ query }) => query);
    const learned = pairsByTool.get(`${contract.namespace}:${contract.name}`) ?? [];
    const requests = [...declared, ...learned.map(({ request }) => request)];
    const calls = learned.reduce((sum, { times }) => sum + times, 0);
    const trust = declared.length > 0 ? 1 : Math.min(calls / CALLS_FOR_FULL_TRUST, 1);
    return requests.length === 0 ? [] : [{ contract, requests, trust }];
  });
}
