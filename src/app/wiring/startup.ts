import { waitAtMost } from '../../base/async/timeout.ts';
import { type CatalogSyncOptions, type Source, syncCatalog } from './catalog-sync.ts';
import { type CallerLimits, LONGEST_WAIT_MS, waitForStartup } from './startup-wait.ts';

/** An answer that shows what is there waits this long for upstreams that are still starting. */
const SHORT_WAIT_MS = 750;
/** Upstreams that start in parallel become ready in quick succession: after this pause the rest counts as slow. */
const LONGEST_PAUSE_MS = 1_000;

/** Starts and stops the upstreams of a gateway. */
export class Startup {
  readonly #sources: readonly Source[];
  readonly #sync: CatalogSyncOptions;
  /** The upstreams that are still starting, by namespace. */
  readonly #starting = new Map<string, Promise<void>>();

  constructor(sources: readonly Source[], sync: CatalogSyncOptions) {
    this.#sources = sources;
    this.#sync = sync;
  }

  /** Starts every upstream in parallel. Resolves when each is ready or has failed with a reason. */
  async start(): Promise<void> {
    for (const source of this.#sources) {
      const { upstream } = source;
      const started = upstream.start(syncCatalog(source, this.#sync));
      this.#starting.set(
        upstream.namespace,
        started.finally(() => this.#starting.delete(upstream.namespace)),
      );
    }
    await this.#allStarted();
  }

  /**
   * Waits for the one upstream that a caller needs, within its limits. Internal upstreams serve no caller, and a wait
   * would disclose their names.
   */
  async waitForUpstream(namespace: string, limits?: CallerLimits): Promise<void> {
    const starting = this.#starting.get(namespace);
    const isExternal = (source: Source): boolean =>
      source.upstream.namespace === namespace && source.expose === 'external';
    if (starting && this.#sources.some(isExternal)) await waitForStartup(starting, limits);
  }

  /** Waits a short time for every upstream: one that hangs must not delay what the others offer. */
  async waitBriefly(): Promise<void> {
    if (this.#starting.size > 0) await waitAtMost(this.#allStarted(), { ms: SHORT_WAIT_MS });
  }

  /** Waits for every upstream, within the limits of an early caller. */
  async waitForAll(limits?: CallerLimits): Promise<void> {
    await waitForStartup(this.#allStarted(), limits);
  }

  /** Waits while upstreams become ready in quick succession. Where none is ready yet, it waits for the first. */
  async waitWhileStarting(): Promise<void> {
    const end = Date.now() + LONGEST_WAIT_MS;
    while (this.#starting.size > 0 && Date.now() < end) {
      const before = this.#starting.size;
      await waitAtMost(Promise.race(this.#starting.values()), { ms: LONGEST_PAUSE_MS });
      const hasReady = this.#sources.some(({ upstream }) => upstream.state.kind === 'ready');
      if (hasReady && this.#starting.size === before) return;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sources.map(({ upstream }) => upstream.stop()));
  }

  async #allStarted(): Promise<void> {
    await Promise.all(this.#starting.values());
  }
}
