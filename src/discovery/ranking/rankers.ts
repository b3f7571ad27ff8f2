import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { featuresOf, type ToolFeatures } from './features.ts';
import { Ranker } from './ranker.ts';
import { runCooperatively } from './turns.ts';
import type { WordVectors } from './word-vectors.ts';

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
    const knownFeatures = (contract: ToolContract): ToolFeatures => {
      const found = known.get(contract.digest) ?? featuresOf(contract, vectors);
      features.set(contract.digest, found);
      return found;
    };
    const ranker = await runCooperatively(Ranker.of(contracts, { vectors, knownFeatures }));
    this.#features = features;
    return ranker;
  }
}
