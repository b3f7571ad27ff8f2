import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Principal } from '../contract/call/principal.ts';
import type { UsagePair, UsageStore } from '../contract/ports/usage-store.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { ExampleOverlay, ToolExamples } from './ranking/examples.ts';
import type { Ranker } from './ranking/ranker.ts';
import { runCooperatively } from './ranking/turns.ts';

/** Whose requests teach whose rankings. */
export type Learning = 'off' | 'principal' | 'tenant';

export interface UsageExamplesOptions {
  readonly store: UsageStore;
  readonly learning: Learning;
  /** How long a ranking stands still before it looks at what was learned since. */
  readonly refreshMs: number;
}

/** What a ranking goes by: pairs as they were at one moment, under the digest of them. */
export interface UsageSnapshot {
  readonly digest: string;
  readonly pairs: readonly UsagePair[];
}

interface Shown {
  readonly request: string;
  readonly ids: ReadonlySet<string>;
}

const MAX_OWNERS = 1_000;
const REMEMBERED_REQUESTS = 8;
const MEMORY_MS = 10 * 60_000;
const MAX_REQUEST_LENGTH = 300;
/** A few sightings may be chance, so the first ones count in part. */
const FULL_TRUST = 3;

/**
 * Requests that tools are known to answer: what contracts state, and, where an operator switched it on, what the caller
 * asked for before it called one with success. A ranking reads a snapshot of them, so that it can be repeated.
 */
export class UsageExamples {
  readonly #options: UsageExamplesOptions;
  readonly #shown: LRUCache<string, readonly Shown[]>;
  readonly #snapshots: LRUCache<string, Promise<UsageSnapshot>>;
  readonly #overlays = new WeakMap<Ranker, LRUCache<string, Promise<ExampleOverlay>>>();

  constructor(options: UsageExamplesOptions) {
    this.#options = options;
    this.#shown = new LRUCache({ max: MAX_OWNERS, ttl: MEMORY_MS });
    this.#snapshots = new LRUCache({ max: MAX_OWNERS, ttl: options.refreshMs });
  }

  /** What is known for this caller, laid over the ranker that everybody shares. */
  async overlayFor(principal: Principal, snapshot: CatalogSnapshot, ranker: Ranker): Promise<ExampleOverlay> {
    const { digest, pairs } = await this.#snapshotFor(ownerOf(principal, this.#options.learning));
    const overlays = this.#overlays.get(ranker) ?? new LRUCache({ max: MAX_OWNERS });
    this.#overlays.set(ranker, overlays);
    let overlay = overlays.get(digest);
    if (!overlay) {
      overlay = runCooperatively(ranker.overlay(examplesFor(snapshot, pairs)));
      overlays.set(digest, overlay);
    }
    return overlay;
  }

  /** A caller was shown these for its request. */
  shown(principal: Principal, request: string, ids: readonly string[]): void {
    const owner = ownerOf(principal, this.#options.learning);
    if (owner === undefined) return;
    const before = this.#shown.get(owner) ?? [];
    const latest = { request: request.slice(0, MAX_REQUEST_LENGTH), ids: new Set(ids) };
    this.#shown.set(owner, [latest, ...before].slice(0, REMEMBERED_REQUESTS));
  }

  /** A caller then called this one, with success. What it asked for is a request that the tool answers. */
  async called(principal: Principal, { id, namespace, name }: ToolContract): Promise<void> {
    const owner = ownerOf(principal, this.#options.learning);
    if (owner === undefined) return;
    const asked = this.#shown.get(owner)?.find(({ ids }) => ids.has(id));
    if (asked)
      await this.#options.store.record(owner, { request: asked.request, tool: `${namespace}:${name}` });
  }

  #snapshotFor(owner: string | undefined): Promise<UsageSnapshot> {
    if (owner === undefined) return Promise.resolve(NOTHING_LEARNED);
    let snapshot = this.#snapshots.get(owner);
    if (!snapshot) {
      snapshot = this.#options.store.list(owner).then(snapshotOf);
      this.#snapshots.set(owner, snapshot);
      // A failure must not stand for as long as a snapshot does.
      snapshot.catch(() => this.#snapshots.delete(owner));
    }
    return snapshot;
  }
}

const NOTHING_LEARNED = snapshotOf([]);

export function snapshotOf(pairs: readonly UsagePair[]): UsageSnapshot {
  return { digest: hash('sha256', JSON.stringify(pairs)).slice(0, 16), pairs };
}

/** Nothing crosses this: a caller without a tenant learns alone. JSON keeps the parts from running into each other. */
export function ownerOf({ tenant, id }: Principal, learning: Learning): string | undefined {
  if (learning === 'off') return undefined;
  return JSON.stringify(learning === 'tenant' && tenant !== undefined ? [tenant] : [tenant ?? null, id]);
}

function examplesFor({ contracts }: CatalogSnapshot, pairs: readonly UsagePair[]): ToolExamples[] {
  const seen = Map.groupBy(pairs, ({ tool }) => tool);
  return contracts.flatMap((contract) => {
    const stated = contract.examples.map(({ query }) => query);
    const learned = seen.get(`${contract.namespace}:${contract.name}`) ?? [];
    const requests = [...stated, ...learned.map(({ request }) => request)];
    const sightings = learned.reduce((sum, { times }) => sum + times, 0);
    const trust = stated.length > 0 ? 1 : Math.min(sightings / FULL_TRUST, 1);
    return requests.length === 0 ? [] : [{ contract, requests, trust }];
  });
}
