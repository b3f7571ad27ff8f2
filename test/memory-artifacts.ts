import type { Artifact, ArtifactStore } from '../src/contract/ports/artifact-store.ts';

export interface MemoryArtifacts extends ArtifactStore {
  readonly kept: ReadonlyMap<string, Artifact>;
}

/** A store for tests of what lies above stores: it keeps everything, by owner and handle. */
export function memoryArtifacts(): MemoryArtifacts {
  const kept = new Map<string, Artifact>();
  return {
    kept,
    put: async (owner, artifact) => {
      kept.set(`${owner} ${artifact.handle}`, artifact);
    },
    get: async (owner, handle) => kept.get(`${owner} ${handle}`),
  };
}
