/** How an upstream stands. A user sees this in browse results, the CLI and the log: never an empty success. */
export type UpstreamState =
  | { readonly kind: 'starting'; readonly since: string }
  | { readonly kind: 'ready'; readonly since: string; readonly protocol: string }
  | {
      readonly kind: 'unavailable';
      readonly since: string;
      readonly reason: string;
      /** When the next attempt is due. */
      readonly retryAt: string | undefined;
    }
  | { readonly kind: 'needs_credentials'; readonly since: string; readonly reason: string }
  | { readonly kind: 'invalid'; readonly since: string; readonly reason: string }
  | { readonly kind: 'stopped'; readonly since: string };

/** What stands between the calls and an upstream. */
export interface UpstreamLoad {
  /** `open`: it failed again and again and is left alone for a while. `half_open`: one call may try. */
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly running: number;
  readonly queued: number;
}

export interface UpstreamStatus {
  readonly namespace: string;
  readonly state: UpstreamState;
  readonly tools: number;
  readonly load?: UpstreamLoad;
}
