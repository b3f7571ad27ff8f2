/** Loaded only where a config asks for `/metrics`: its package need not be installed. */
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

/** Its own server knows neither a free port nor who may ask: ours does. */
export function prometheusReader(): PrometheusExporter {
  return new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
}
