import { type CatalogSyncOptions, type Source, syncCatalog } from './catalog-sync.ts';
import { type CallerLimits, waitForStartup } from './startup-wait.ts';

/** Starts and stops the upstreams of a gateway. */
export class Startup {
  readonly #sources: readonly Source[];
  readonly #sync: CatalogSyncOptions;
  #started: Promise<unknown> = Promise.resolve();

  constructor(sources: readonly Source[], sync: CatalogSyncOptions) {
    this.#sources = sources;
    this.#sync = sync;
  }

  /** Starts every upstream in parallel. Resolves when each is ready or has failed with a reason. */
  async start(): Promise<void> {
    this.#started = Promise.all(
      this.#sources.map((source) => source.upstream.start(syncCatalog(source, this.#sync))),
    );
    await this.#started;
  }

  /** Waits for upstreams that are still starting, within the limits of an early caller. */
  wait(limits?: CallerLimits): Promise<void> {
    return waitForStartup(this.#started, limits);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sources.map(({ upstream }) => upstream.stop()));
  }
}
