export interface Artifact {
  /** `art_` and the first 24 hex digits of the SHA-256 of the bytes. */
  readonly handle: string;
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * Parts of results, kept by content for one owner. An implementation
 * - never changes the bytes behind a handle, nor their media type, which decides how they can be viewed: storing the same
 *   bytes again is a success that renews their lifetime, and other bytes under a taken handle are refused by rejecting;
 * - answers undefined for another owner's handle, for an unknown one and for an expired one alike;
 * - holds at most the owner's quota of bytes and evicts the least recently stored ones to make room, never refusing
 *   a new artifact that fits the quota by itself;
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
