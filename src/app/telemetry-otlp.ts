/** Loaded only where a config names a collector: its packages need not be installed. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { type IMetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { PRODUCT } from '../contract/product.ts';
import { type Origin, spansOf } from '../telemetry/traces.ts';
import type { WatchedCall } from '../telemetry/watched-call.ts';
import type { Logger } from './logger.ts';

export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  readonly log: Logger;
}

export interface OverOtlp {
  readonly trace: (call: WatchedCall) => void;
  readonly reader: IMetricReader;
  /** The traces; the metrics end with their reader. */
  close(): Promise<void>;
}

/** Tries included: a process that ends waits for them. */
const EXPORT_TIMEOUT_MS = 5_000;
/** Every call makes seven; what comes on top of these is lost, and no call waits for it. */
const MAX_SPANS_WAITING = 16_384;
const MAX_SPANS_AT_ONCE = 1_024;

/** Traces and metrics to one collector, in batches of their own time. */
export function overOtlp({ url, headers, resource, log }: Collector): OverOtlp {
  const told = tellOnce(new URL(url).host, log);
  const to = (signal: string): { url: string; headers: Record<string, string>; timeoutMillis: number } => ({
    url: pathUnder(url, `v1/${signal}`),
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const spans = watched(new OTLPTraceExporter(to('traces')), (failure) => told('traces', failure));
  const processor = new BatchSpanProcessor({
    exporter: spans,
    maxQueueSize: MAX_SPANS_WAITING,
    maxExportBatchSize: MAX_SPANS_AT_ONCE,
  });
  const origin: Origin = { resource, instrumentationScope: PRODUCT };
  return {
    trace: (call) => {
      for (const span of spansOf(call, origin)) processor.onEnd(span);
    },
    reader: new PeriodicExportingMetricReader({
      exporter: watched(new OTLPMetricExporter(to('metrics')), (failure) => told('metrics', failure)),
    }),
    close: () => processor.shutdown(),
  };
}

function pathUnder(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}

interface Exporter<Items> {
  export(items: Items, done: (result: { code: number; error?: Error }) => void): void;
}

/** Lets somebody know how every export went. */
function watched<Items, Kind extends Exporter<Items>>(
  exporter: Kind & Exporter<Items>,
  tell: (failure: Error | undefined) => void,
): Kind {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      tell(result.code === 0 ? undefined : (result.error ?? new Error('no reason given')));
      done(result);
    });
  return exporter;
}

/** One line when a collector is lost and one when it is back, however many exports fail in between. */
function tellOnce(collector: string, log: Logger): (signal: string, failure: Error | undefined) => void {
  const failing = new Set<string>();
  return (signal, failure) => {
    const wasFailing = failing.size > 0;
    if (!failure) failing.delete(signal);
    else failing.add(signal);
    if (failure && !wasFailing) {
      const code = 'code' in failure ? failure.code : undefined;
      log.warn(
        { collector, signal, code, reason: failure.message },
        'telemetry does not reach the collector; calls are served as ever',
      );
    }
    if (wasFailing && failing.size === 0) log.info({ collector }, 'telemetry reaches the collector again');
  };
}
