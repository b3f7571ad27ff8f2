export interface Artifact {
  /** `art_` and the first 24 hex digits of the SHA-256 of the bytes. */
  readonly handle: string;
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * Parts of results, addressed by content and separate for each owner. An implementation
 * - never changes the bytes of a handle or their media type, which decides how they can be viewed. Storing the same bytes
 *   again succeeds and renews their lifetime; storing other bytes under the same handle rejects;
 * - resolves to undefined for a handle of another owner, an unknown one and an expired one alike;
 * - holds at most the owner's quota of bytes. It evicts the least recently stored artifacts, and never refuses a new one
 *   that fits the quota by itself;
 * - decides expiry by its own clock.
 */
export interface ArtifactStore {
  put(
    owner: string,
    artifact: Artifact,
    options: { readonly ttlMs: number; readonly quotaBytes: number },
  ): Promise<void>;
  get(owner: string, handle: string): Promise<Artifact | undefined>;
}
