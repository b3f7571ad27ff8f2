/** Loaded only where a config names a collector: its packages are optional. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import type { Resource } from '@opentelemetry/resources';
import { type IMetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchQueue } from '../../base/async/batch.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { PRODUCT } from '../../contract/product.ts';
import type { CompletedCall } from '../../telemetry/completed-call.ts';
import { type Attributes, type Span, traceSerializer } from '../../telemetry/otlp-json.ts';
import { spansOf } from '../../telemetry/traces.ts';
import type { Logger } from '../logger.ts';

export interface OtlpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  readonly log: Logger;
}

export interface OtlpExporter {
  /** Queues the spans of a call. */
  readonly trace: (call: CompletedCall) => void;
  readonly metricReader: IMetricReader;
  /** Sends the spans that wait. Metrics are flushed by the shutdown of their reader. */
  flush(): Promise<void>;
}

/** Includes the retries of the exporter: a process that ends waits for them. */
const EXPORT_TIMEOUT_MS = 5_000;
/** Longer than the exporter's own timeout, for a collector that never ends its response: the next batch waits for it. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Calls whose spans wait to be sent. Spans of further calls are dropped; no call waits. */
const MAX_QUEUED_CALLS = 4_096;
/** The spans of a batch are serialized in one step, which takes about 1.5 ms for so many calls. */
const MAX_CALLS_PER_EXPORT = 128;
const EXPORT_DELAY_MS = 5_000;

/** Exports traces and metrics to one collector, each in its own batches. */
export function openOtlp({ url, headers, resource, log }: OtlpOptions): OtlpExporter {
  const report = exportReporter(new URL(url).host, log);
  const endpointOf = (signal: Signal): Endpoint => ({
    url: appendPath(url, `v1/${signal}`),
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const metrics = new OTLPMetricExporter(endpointOf('metrics'));
  const exportMetrics = metrics.export.bind(metrics);
  metrics.export = (items, done) =>
    exportMetrics(items, (result) => {
      report('metrics', failureOf(result));
      done(result);
    });
  const exportSpans = spanExporter(endpointOf('traces'), resource);
  const queue = new BatchQueue<readonly Span[]>({
    process: async (spansByCall) => report('traces', await exportSpans(spansByCall.flat())),
    maxBatchSize: MAX_CALLS_PER_EXPORT,
    maxQueueSize: MAX_QUEUED_CALLS,
    delayMs: EXPORT_DELAY_MS,
    flushAt: MAX_CALLS_PER_EXPORT,
  });
  return {
    trace: (call) => {
      const spans = spansOf(call);
      if (spans.length > 0) queue.add(spans);
    },
    metricReader: new PeriodicExportingMetricReader({ exporter: metrics }),
    flush: () => queue.flush(),
  };
}

type Signal = 'traces' | 'metrics';
type Endpoint = {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly timeoutMillis: number;
};
type ExportResult = Parameters<Parameters<OTLPMetricExporter['export']>[1]>[0];

/** Sends spans through the transport of the OpenTelemetry exporter, with its environment variables and its retries. */
function spanExporter(
  endpoint: Endpoint,
  resource: Resource,
): (spans: readonly Span[]) => Promise<Error | undefined> {
  const delegate = createOtlpHttpExportDelegate<readonly Span[], void>(
    convertLegacyHttpOptions(endpoint, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' }),
    {
      serializeRequest: traceSerializer(resource.attributes as Attributes, PRODUCT),
      // The body of a success is not used.
      deserializeResponse: () => {},
    },
    'otlp_http_json_span_exporter',
    { name: 'span', countItems: ({ length }) => length },
    undefined,
  );
  return (spans) => {
    const result = new Promise<ExportResult>((resolve) => delegate.export(spans, resolve));
    const error = (): Error => new Error('the response did not end');
    return withTimeout(result, { ms: RESPONSE_TIMEOUT_MS, error }).then(failureOf, (timeout) => timeout);
  };
}

function failureOf({ code, error }: ExportResult): Error | undefined {
  return code === 0 ? undefined : (error ?? new Error('no reason given'));
}

function appendPath(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}

/** Logs one line when exports begin to fail and one when they succeed again, not one for every export. */
function exportReporter(
  collector: string,
  log: Logger,
): (signal: Signal, failure: Error | undefined) => void {
  const failing = new Set<Signal>();
  return (signal, failure) => {
    const wasFailing = failing.size > 0;
    if (!failure) failing.delete(signal);
    else failing.add(signal);
    if (failure && !wasFailing) {
      const code = 'code' in failure ? failure.code : undefined;
      log.warn(
        { collector, signal, code, reason: failure.message },
        'OTLP export failing; calls are unaffected',
      );
    }
    if (wasFailing && failing.size === 0) log.info({ collector }, 'OTLP export working again');
  };
}
