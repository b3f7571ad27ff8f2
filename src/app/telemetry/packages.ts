import { ConfigError } from '../config/config-error.ts';

type Exporter = 'otlp' | 'prometheus';

const PACKAGES: Readonly<Record<Exporter, readonly string[]>> = {
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

/** Imports a module whose packages are optional; where one is missing, the error has the command that installs them. */
export async function importOptional<Module>(
  exporter: Exporter,
  file: string | undefined,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND'))
      throw thrown;
    const command = `npm install ${PACKAGES[exporter].join(' ')}`;
    throw new ConfigError(file, [
      `telemetry.${exporter} needs packages that are not installed. Run: ${command}`,
    ]);
  }
}
