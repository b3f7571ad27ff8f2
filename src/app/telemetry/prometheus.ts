/** Loaded only where a config enables `/metrics`: its package is optional. */
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

/** Its own server is not started: it supports no free port and no host check. */
export function makePrometheusReader(): PrometheusExporter {
  return new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
}
