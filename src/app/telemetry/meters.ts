/** Loaded only where a config enables telemetry: its packages are optional. */
import { randomUUID } from 'node:crypto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { type IMetricReader, MeterProvider } from '@opentelemetry/sdk-metrics';
import { PRODUCT } from '../../contract/product.ts';

/** Above the number of label sets that one metric can have: `measureCalls` bounds them, not the SDK. */
const MAX_SERIES = 10_000;

/** The instance id keeps nodes with the same config apart, or a backend would mix their sums. */
export function makeResource(serviceName: string): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName,
      'service.version': PRODUCT.version,
      'service.instance.id': randomUUID(),
    }),
  );
}

export function makeMeterProvider(resource: Resource, readers: IMetricReader[]): MeterProvider {
  return new MeterProvider({
    resource,
    readers,
    views: [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }],
  });
}
