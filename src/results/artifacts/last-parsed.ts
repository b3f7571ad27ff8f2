import type { Artifact } from '../../contract/ports/artifact-store.ts';

/**
 * Keeps the parsed form of the artifact that was read last, because views of one artifact follow each other. The memory
 * is given up when it is needed elsewhere.
 */
export class LastParsed<Value extends object> {
  #last: { readonly key: string; readonly value: WeakRef<Value> } | undefined;

  get(artifact: Artifact): Value | undefined {
    return this.#last?.key === keyOf(artifact) ? this.#last.value.deref() : undefined;
  }

  set(artifact: Artifact, value: Value): void {
    this.#last = { key: keyOf(artifact), value: new WeakRef(value) };
  }
}

function keyOf({ mediaType, sha256 }: Artifact): string {
  return `${mediaType} ${sha256}`;
}
