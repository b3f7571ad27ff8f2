import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ToolContract } from '../../contract/tool.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { Ranker } from './ranker.ts';
import type { WordVectors } from './word-vectors.ts';

/** How long one turn of the event loop may be spent on an index while callers wait for other things. */
const TURN_MS = 15;

/**
 * One ranker a snapshot: it belongs to it and dies with it, so nothing stale can be asked. What was learned of a tool is
 * kept by its digest: a refresh that changes ten tools reads ten.
 */
export class Rankers {
  readonly #loadVectors: () => WordVectors | undefined;
  readonly #rankers = new WeakMap<CatalogSnapshot, Promise<Ranker>>();
  #features = new Map<string, ToolFeatures>();

  constructor(loadVectors: () => WordVectors | undefined) {
    this.#loadVectors = loadVectors;
  }

  of(snapshot: CatalogSnapshot): Promise<Ranker> {
    let ranker = this.#rankers.get(snapshot);
    if (!ranker) {
      ranker = this.#build(snapshot.contracts);
      this.#rankers.set(snapshot, ranker);
    }
    return ranker;
  }

  async #build(contracts: readonly ToolContract[]): Promise<Ranker> {
    const vectors = this.#loadVectors();
    const known = this.#features;
    const features = new Map<string, ToolFeatures>();
    let turn = performance.now();
    for (const contract of contracts) {
      features.set(contract.digest, known.get(contract.digest) ?? featuresOf(contract, vectors));
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
    this.#features = features;
    return new Ranker(
      contracts,
      contracts.map(({ digest }) => features.get(digest)!),
      { vectors },
    );
  }
}
