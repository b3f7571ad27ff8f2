/** Loaded only where a config asks for telemetry: its packages need not be installed. */
import { randomUUID } from 'node:crypto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { type IMetricReader, MeterProvider } from '@opentelemetry/sdk-metrics';
import { PRODUCT } from '../../contract/product.ts';

/** Above what the labels of one metric can come to: the bound on them is ours and not the SDK's. */
const MAX_SERIES = 10_000;

/** Who speaks. Nodes that share a config are told apart, or their sums would be taken for one another's. */
export function thisService(name: string): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': name,
      'service.version': PRODUCT.version,
      'service.instance.id': randomUUID(),
    }),
  );
}

export function metersFor(resource: Resource, readers: IMetricReader[]): MeterProvider {
  return new MeterProvider({
    resource,
    readers,
    views: [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }],
  });
}
