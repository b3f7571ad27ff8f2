import { PRODUCT } from '../../contract/product.ts';
import type { CallEvents } from '../../lifecycle/events.ts';
import { type CompletedCall, observeCalls } from '../../telemetry/completed-call.ts';
import { DeferredQueue } from '../../telemetry/deferred-queue.ts';
import { measureCalls } from '../../telemetry/metrics.ts';
import {
  type MetricsAddress,
  type MetricsEndpoint,
  parseMetricsAddress,
  serveMetrics,
} from '../../telemetry/metrics-endpoint.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/load.ts';
import { isHttpAddress } from '../config/upstream-entry.ts';
import type { Logger } from '../logger.ts';
import { loadedFor } from './packages.ts';

export interface Telemetry {
  /** Begins to answer scrapes where the config asks for it, and says where. A second time it changes nothing. */
  serveMetrics(): Promise<string | undefined>;
  /** Sends what is left, for as long as its patience lasts. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'settings' | 'file'>;
  readonly events: CallEvents;
  readonly log: Logger;
}

/** How long the last words to a collector may hold up the end. */
const CLOSING_PATIENCE_MS = 2_000;
const OFF: Telemetry = { serveMetrics: async () => undefined, close: async () => {} };

/**
 * Subscribes traces and metrics to the calls, as the config wants it. Where it wants none, nothing of them is loaded; where
 * it wants some, a package that is missing is a reason not to start, and a collector that is missing is none.
 */
export async function openTelemetry({ config, events, log }: TelemetryOptions): Promise<Telemetry> {
  const { settings, file } = config;
  const { otlp: url, otlpHeaders: headers, prometheus, serviceName } = settings.telemetry;
  if (url === undefined && prometheus === undefined) return OFF;
  const address = addressIn(config);
  const way = url === undefined ? 'prometheus' : 'otlp';
  const { metersFor, thisService } = await loadedFor(way, file, () => import('./meters.ts'));
  const resource = thisService(serviceName);
  const collector =
    url === undefined
      ? undefined
      : await loadedFor('otlp', file, () => import('./otlp.ts')).then(({ overOtlp }) =>
          overOtlp({ url, headers, resource, log }),
        );
  const scraped =
    address &&
    (await loadedFor('prometheus', file, () => import('./prometheus.ts')).then(({ prometheusReader }) =>
      prometheusReader(),
    ));
  const meters = metersFor(
    resource,
    [collector?.reader, scraped].filter((reader) => reader !== undefined),
  );
  const measure = measureCalls(meters.getMeter(PRODUCT.name, PRODUCT.version));
  const heard = new DeferredQueue<CompletedCall>((call) => {
    measure(call);
    collector?.trace(call);
  });
  const watch = observeCalls((call) => heard.add(call));
  const leave = events.subscribe(watch, { makesSpans: collector !== undefined });
  let endpoint: Promise<MetricsEndpoint | undefined> | undefined;
  return {
    async serveMetrics() {
      if (!scraped || !address) return undefined;
      const answer: typeof scraped.getMetricsRequestHandler = (...asked) => {
        heard.finish();
        return scraped.getMetricsRequestHandler(...asked);
      };
      endpoint ??= answerScrapes(address, answer, log);
      return (await endpoint)?.url;
    },
    async close() {
      leave();
      heard.finish();
      const ending = [meters.shutdown(), collector?.close(), endpoint?.then((open) => open?.close())];
      await withinPatience(Promise.allSettled(ending));
    },
  };
}

/** Where a config is wrong in a way that only its references could show. */
function addressIn({ settings, file }: TelemetryOptions['config']): MetricsAddress | undefined {
  const { otlp, prometheus } = settings.telemetry;
  if (otlp !== undefined && !isHttpAddress(otlp)) {
    throw new ConfigError(file, ['telemetry.otlp: does not lead to an http or https address']);
  }
  if (prometheus === undefined) return undefined;
  const address = parseMetricsAddress(prometheus);
  if (!address) throw new ConfigError(file, ['telemetry.prometheus: neither a port nor "host:port"']);
  return address;
}

/** Clients start as many gateways on stdio as they like, all with one config: the first has the port. */
async function answerScrapes(
  address: MetricsAddress,
  answer: Parameters<typeof serveMetrics>[1],
  log: Logger,
): Promise<MetricsEndpoint | undefined> {
  try {
    const endpoint = await serveMetrics(address, answer);
    log.info({ url: endpoint.url }, 'metrics are served');
    return endpoint;
  } catch (cause) {
    log.warn({ ...address, err: cause }, 'metrics are not served; calls are, as ever');
    return undefined;
  }
}

async function withinPatience(work: Promise<unknown>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSING_PATIENCE_MS);
  await Promise.race([work, elapsed]);
  clearTimeout(timer);
}
