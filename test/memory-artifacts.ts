import type { Artifact, ArtifactStore } from '../src/contract/ports/artifact-store.ts';

export interface MemoryArtifacts extends ArtifactStore {
  readonly stored: ReadonlyMap<string, Artifact>;
}

/** An artifact store for tests: keeps everything in memory, by owner and handle. */
export function memoryArtifacts(): MemoryArtifacts {
  const stored = new Map<string, Artifact>();
  return {
    stored,
    put: async (owner, artifact) => {
      stored.set(`${owner} ${artifact.handle}`, artifact);
    },
    get: async (owner, handle) => stored.get(`${owner} ${handle}`),
  };
}
