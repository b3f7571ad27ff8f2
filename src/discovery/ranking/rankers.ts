import { runCooperatively } from '../../base/async/cooperative.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { RANKING_SLICE_MS, Ranker } from './ranker.ts';
import type { WordVectors } from './word-vectors.ts';

/**
 * One ranker per snapshot, collected with it, so that no ranker is stale. The features of a tool are cached by its
 * digest: a refresh that changes ten tools computes ten.
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
    const previous = this.#features;
    const current = new Map<string, ToolFeatures>();
    const featuresFor = (contract: ToolContract): ToolFeatures => {
      const features = previous.get(contract.digest) ?? featuresOf(contract, vectors);
      current.set(contract.digest, features);
      return features;
    };
    const ranker = await runCooperatively(Ranker.of(contracts, { vectors, featuresFor }), RANKING_SLICE_MS);
    this.#features = current;
    return ranker;
  }
}
