/** Loaded only where a config names a collector: its packages need not be installed. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import type { Resource } from '@opentelemetry/resources';
import { type IMetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { PRODUCT } from '../../contract/product.ts';
import { BatchSender } from '../../telemetry/batch-sender.ts';
import type { CompletedCall } from '../../telemetry/completed-call.ts';
import { type Attributes, traceRequests } from '../../telemetry/otlp-json.ts';
import { spansOf } from '../../telemetry/traces.ts';
import type { Logger } from '../logger.ts';

export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  readonly log: Logger;
}

export interface OverOtlp {
  readonly trace: (call: CompletedCall) => void;
  readonly reader: IMetricReader;
  /** The traces; the metrics end with their reader. */
  close(): Promise<void>;
}

/** Tries included: a process that ends waits for them. */
const EXPORT_TIMEOUT_MS = 5_000;
/** Above it, for a collector whose answer never ends: the next spans wait for it. */
const LONGEST_EXPORT_MS = 10_000;
/** Calls whose spans wait to be sent; what comes on top of these is lost, and no call waits for it. */
const MAX_CALLS_WAITING = 4_096;
const MAX_CALLS_AT_ONCE = 256;
const LONGEST_WAIT_MS = 5_000;

/** Traces and metrics to one collector, in batches of their own time. */
export function overOtlp({ url, headers, resource, log }: Collector): OverOtlp {
  const told = tellOnce(new URL(url).host, log);
  const to = (signal: Signal): Address => ({
    url: pathUnder(url, `v1/${signal}`),
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const metrics = new OTLPMetricExporter(to('metrics'));
  const sendMetrics = metrics.export.bind(metrics);
  metrics.export = (items, done) =>
    sendMetrics(items, (result) => {
      told('metrics', failureIn(result));
      done(result);
    });
  const sendTraces = tracesTo(to('traces'), resource);
  const outbox = new BatchSender<Buffer>({
    send: async (spans) => told('traces', await sendTraces(spans)),
    atOnce: MAX_CALLS_AT_ONCE,
    atMost: MAX_CALLS_WAITING,
    delayMs: LONGEST_WAIT_MS,
  });
  return {
    trace: (call) => {
      const spans = spansOf(call);
      // In bytes at once: many texts put together and written out cost twice as much.
      if (spans !== undefined) outbox.add(Buffer.from(spans));
    },
    reader: new PeriodicExportingMetricReader({ exporter: metrics }),
    close: () => outbox.close(),
  };
}

type Signal = 'traces' | 'metrics';
type Address = {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly timeoutMillis: number;
};
type ExportResult = Parameters<Parameters<OTLPMetricExporter['export']>[1]>[0];

/** The exporter's way to a collector, with its variables and its tries, for spans that are written already. */
function tracesTo(
  address: Address,
  resource: Resource,
): (spans: readonly Buffer[]) => Promise<Error | undefined> {
  const requestOf = traceRequests(resource.attributes as Attributes, PRODUCT);
  const delegate = createOtlpHttpExportDelegate<readonly Buffer[], void>(
    convertLegacyHttpOptions(address, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' }),
    // Nobody reads what a collector answers: that it took them is enough.
    { serializeRequest: requestOf, deserializeResponse: () => {} },
    'otlp_http_json_span_exporter',
    { name: 'span', countItems: ({ length }) => length },
    undefined,
  );
  return (spans) =>
    new Promise((resolve) => {
      const giveUp = setTimeout(
        () => resolve(new Error('the answer did not end')),
        LONGEST_EXPORT_MS,
      ).unref();
      delegate.export(spans, (result) => {
        clearTimeout(giveUp);
        resolve(failureIn(result));
      });
    });
}

function failureIn({ code, error }: ExportResult): Error | undefined {
  return code === 0 ? undefined : (error ?? new Error('no reason given'));
}

function pathUnder(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}

/** One line when a collector is lost and one when it is back, however many exports fail in between. */
function tellOnce(collector: string, log: Logger): (signal: Signal, failure: Error | undefined) => void {
  const failing = new Set<Signal>();
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
