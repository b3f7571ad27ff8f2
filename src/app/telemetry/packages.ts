import { ConfigError } from '../config/config-error.ts';

type Way = 'otlp' | 'prometheus';

const PACKAGES: Readonly<Record<Way, readonly string[]>> = {
  otlp: [
    '@opentelemetry/resources',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/otlp-exporter-base',
    '@opentelemetry/exporter-metrics-otlp-http',
  ],
  prometheus: [
    '@opentelemetry/resources',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/exporter-prometheus',
  ],
};

/** Loads what most gateways do without and what is therefore not installed with them. */
export async function loadedFor<Loaded>(
  way: Way,
  file: string | undefined,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND'))
      throw thrown;
    const command = `npm install ${PACKAGES[way].join(' ')}`;
    throw new ConfigError(file, [`telemetry.${way} needs packages that are not installed: ${command}`]);
  }
}
