/** The state of an upstream in browse results, the CLI and the log: a failed one must not look like an empty one. */
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
  /** The config of the upstream has a value that cannot be used. */
  | { readonly kind: 'misconfigured'; readonly since: string; readonly reason: string }
  | { readonly kind: 'invalid'; readonly since: string; readonly reason: string }
  | { readonly kind: 'stopped'; readonly since: string };

/** The circuit breaker and the bulkhead of an upstream. */
export interface UpstreamLoad {
  /** `open`: calls are refused after consecutive failures. `half_open`: one trial call is in flight. */
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
