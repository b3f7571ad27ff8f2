// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like placeholders and are none
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallEvents } from '../../lifecycle/events.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { makeLogger } from '../logger.ts';
import { openTelemetry, type Telemetry } from './telemetry.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function opened(telemetry: object, events = new CallEvents()): Promise<Telemetry> {
  const config = loadConfig({ settings: { telemetry } });
  return openTelemetry({ config, events, log: makeLogger('silent') });
}

describe('telemetry', () => {
  it('is off where the config asks for nothing', async () => {
    const events = new CallEvents();
    const subscribe = vi.spyOn(events, 'subscribe');
    const telemetry = await opened({ serviceName: 'x', otlpHeaders: { a: 'b' } }, events);
    expect(subscribe).not.toHaveBeenCalled();
    expect(await telemetry.serveMetrics()).toBeUndefined();
    await telemetry.close();
  });

  it('makes spans for a collector alone, until it is closed', async () => {
    const [forCollector, forScrapes] = [new CallEvents(), new CallEvents()];
    const both = await Promise.all([
      opened({ otlp: 'http://127.0.0.1:9' }, forCollector),
      opened({ prometheus: 0 }, forScrapes),
    ]);
    expect([forCollector.areTraced, forScrapes.areTraced]).toEqual([true, false]);
    await Promise.all(both.map((telemetry) => telemetry.close()));
    expect(forCollector.areTraced).toBe(false);
  });

  it.each([
    [{ otlp: 'collector:4318' }, /telemetry\.otlp: not an http or https address/],
    [{ otlp: '${env:TELEMETRY_TEST_UNSET}' }, /telemetry: \$\{env:TELEMETRY_TEST_UNSET\}: .* not set/],
    [{ otlp: '${env:TELEMETRY_TEST_WRONG}' }, /telemetry\.otlp: does not lead to an http or https address/],
    [{ otlpHeaders: { a: '${env:TELEMETRY_TEST_UNSET}' } }, /not set/],
    [{ prometheus: 'here' }, /telemetry\.prometheus: neither a port nor "host:port"/],
    [{ prometheus: 70_000 }, /telemetry\.prometheus/],
  ])('refuses %o', async (telemetry, reason) => {
    vi.stubEnv('TELEMETRY_TEST_WRONG', 's3cr3t');
    const refusal = await Promise.resolve()
      .then(() => opened(telemetry))
      .catch((thrown: unknown) => thrown);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect((refusal as ConfigError).message).toMatch(reason);
    expect((refusal as ConfigError).message).not.toContain('s3cr3t');
  });
});
