import { Quota } from '../../governance/quota.ts';
import type { CallDependencies } from '../../lifecycle/dependencies.ts';
import { ResultCache } from '../../lifecycle/upstream/result-cache.ts';
import { type GuardOptions, UpstreamGuard } from '../../lifecycle/upstream/upstream-guard.ts';
import type { Config } from '../config/load.ts';

const NATIVE_TOOLS: GuardOptions = {
  maxConcurrent: 1_024,
  maxQueued: 1_024,
  failureThreshold: 1_000,
  resetTimeoutMs: 1_000,
};

/** Creates retries, guards (bulkhead and circuit breaker), cache and rate limits from the config. */
export function createCallControls({
  settings,
  upstreams,
}: Config): Pick<CallDependencies, 'onInFlight' | 'retry' | 'guard' | 'cache' | 'quota'> {
  const { idempotency, retry, cache, rateLimits } = settings;
  const options = new Map(
    upstreams.map(({ namespace, settings: { maxConcurrent, maxQueued, circuitBreaker } }) => [
      namespace,
      { maxConcurrent, maxQueued, ...circuitBreaker },
    ]),
  );
  const guards = new Map<string, UpstreamGuard>();
  return {
    quota: Object.keys(rateLimits).length > 0 ? new Quota(rateLimits) : undefined,
    onInFlight: idempotency.onInFlight,
    retry: {
      maxAttempts: retry.attempts,
      baseDelayMs: retry.baseDelayMs,
      maxDelayMs: retry.maxDelayMs,
      codes: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'],
    },
    guard: (namespace) => {
      const guard =
        guards.get(namespace) ?? new UpstreamGuard(namespace, options.get(namespace) ?? NATIVE_TOOLS);
      guards.set(namespace, guard);
      return guard;
    },
    cache: cache.readOnly
      ? new ResultCache({ allow: cache.allow, ttlMs: cache.ttlSeconds * 1_000, maxEntries: cache.maxEntries })
      : undefined,
  };
}
