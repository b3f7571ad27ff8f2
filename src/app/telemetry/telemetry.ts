import { BatchQueue } from '../../base/async/batch.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { PRODUCT } from '../../contract/product.ts';
import type { Listener } from '../../ingress/listener.ts';
import type { CallEvents } from '../../lifecycle/events.ts';
import { type CompletedCall, observeCalls } from '../../telemetry/completed-call.ts';
import { measureCalls } from '../../telemetry/metrics.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/load.ts';
import { isHttpAddress } from '../config/upstream-entry.ts';
import type { Logger } from '../logger.ts';
import { type MetricsAddress, parseMetricsAddress, serveMetrics } from './metrics-endpoint.ts';
import type { OtlpExporter } from './otlp.ts';
import { importOptional } from './packages.ts';

export interface Telemetry {
  /** Serves `/metrics` where the config enables it, and returns its URL. A second call returns the same URL. */
  serveMetrics(): Promise<string | undefined>;
  /** Sends the data that waits, within a time limit. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'settings' | 'file'>;
  readonly events: CallEvents;
  readonly log: Logger;
}

/** Time that the last export may delay the end of the process. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Traces need not be sooner, and handling many calls in a row costs less than handling each between other calls. */
const RECORD_DELAY_MS = 100;
/** Calls recorded before the event loop handles other work. */
const MAX_CALLS_PER_TURN = 32;
const OFF: Telemetry = { serveMetrics: async () => undefined, close: async () => {} };

/**
 * Subscribes traces and metrics to the events of calls. Without telemetry in the config, none of its packages is loaded;
 * with it, a missing package prevents the start and an unreachable collector does not.
 */
export async function openTelemetry({ config, events, log }: TelemetryOptions): Promise<Telemetry> {
  const { settings, file } = config;
  const { otlp: url, otlpHeaders: headers, prometheus, serviceName } = settings.telemetry;
  if (url === undefined && prometheus === undefined) return OFF;
  const address = readMetricsAddress(config);
  const { makeMeterProvider, makeResource } = await importOptional(
    url === undefined ? 'prometheus' : 'otlp',
    file,
    () => import('./meters.ts'),
  );
  const resource = makeResource(serviceName);
  let otlp: OtlpExporter | undefined;
  if (url !== undefined) {
    const { openOtlp } = await importOptional('otlp', file, () => import('./otlp.ts'));
    otlp = openOtlp({ url, headers, resource, log });
  }
  const scraped =
    address &&
    (await importOptional('prometheus', file, () => import('./prometheus.ts'))).makePrometheusReader();
  const readers = [otlp?.metricReader, scraped].filter((reader) => reader !== undefined);
  const meters = makeMeterProvider(resource, readers);
  const recorder = callRecorder(measureCalls(meters.getMeter(PRODUCT.name, PRODUCT.version)), otlp);
  const unsubscribe = events.subscribe(
    observeCalls((call) => recorder.add(call)),
    { makesSpans: otlp !== undefined },
  );
  let endpoint: Promise<Listener | undefined> | undefined;
  return {
    async serveMetrics() {
      if (!scraped || !address) return undefined;
      endpoint ??= openEndpoint({
        address,
        log,
        handle: (request, response) => {
          // A scrape includes every call that ended before it.
          void recorder.flush();
          scraped.getMetricsRequestHandler(request, response);
        },
      });
      return (await endpoint)?.url;
    },
    async close() {
      unsubscribe();
      void recorder.flush();
      const closing = [meters.shutdown(), otlp?.flush(), endpoint?.then((open) => open?.close())];
      const error = (): Error => new Error('telemetry was not closed in time');
      // The data that was not sent by then is lost.
      await withTimeout(Promise.allSettled(closing), { ms: CLOSE_TIMEOUT_MS, error }).catch(() => {});
    },
  };
}

/** Records calls after their result was sent, so that no caller waits for it. */
function callRecorder(
  measure: (call: CompletedCall) => void,
  otlp: OtlpExporter | undefined,
): BatchQueue<CompletedCall> {
  return new BatchQueue<CompletedCall>({
    process: (calls) => {
      for (const call of calls) {
        try {
          measure(call);
          otlp?.trace(call);
        } catch {
          // As in `CallEvents.publish`: a call that cannot be recorded must not affect another one.
        }
      }
    },
    maxBatchSize: MAX_CALLS_PER_TURN,
    delayMs: RECORD_DELAY_MS,
  });
}

/** Checks the values that are known only after references in the config are resolved. */
function readMetricsAddress({ settings, file }: TelemetryOptions['config']): MetricsAddress | undefined {
  const { otlp, prometheus } = settings.telemetry;
  if (otlp !== undefined && !isHttpAddress(otlp)) {
    throw new ConfigError(file, [
      'telemetry.otlp: the referenced value is not an http or https URL. Set it to one, such as http://localhost:4318.',
    ]);
  }
  if (prometheus === undefined) return undefined;
  const address = parseMetricsAddress(prometheus);
  if (!address) {
    throw new ConfigError(file, [
      'telemetry.prometheus: neither a port nor "host:port". Use 9464 or "0.0.0.0:9464", for example.',
    ]);
  }
  return address;
}

interface EndpointOptions {
  readonly address: MetricsAddress;
  readonly handle: Parameters<typeof serveMetrics>[0]['handle'];
  readonly log: Logger;
}

/** A taken port is no failure: clients start several gateways on stdio with one config, and the first one serves. */
async function openEndpoint({ address, handle, log }: EndpointOptions): Promise<Listener | undefined> {
  try {
    const endpoint = await serveMetrics({
      address,
      handle,
      onError: (err) => log.error({ err }, 'metrics endpoint failed'),
    });
    log.info({ url: endpoint.url }, 'metrics endpoint started');
    return endpoint;
  } catch (cause) {
    log.warn({ ...address, err: cause }, 'metrics endpoint disabled; calls are unaffected');
    return undefined;
  }
}
