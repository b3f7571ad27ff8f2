// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config references, not templates
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { callRequest, recordingDeps } from '../../../test/recording-deps.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { CallEvents } from '../../lifecycle/events.ts';
import { invoke } from '../../lifecycle/invoke.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { makeLogger } from '../logger.ts';
import { openTelemetry, type Telemetry } from './telemetry.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function open(telemetry: object, events = new CallEvents()): Promise<Telemetry> {
  const config = loadConfig({ settings: { telemetry } });
  return openTelemetry({ config, events, log: makeLogger('silent') });
}

describe('openTelemetry', () => {
  it('subscribes to nothing where the config enables no exporter', async () => {
    const events = new CallEvents();
    const subscribe = vi.spyOn(events, 'subscribe');
    const telemetry = await open({ serviceName: 'x', otlpHeaders: { a: 'b' } }, events);
    expect(subscribe).not.toHaveBeenCalled();
    expect(await telemetry.serveMetrics()).toBeUndefined();
    await telemetry.close();
  });

  it('makes spans only for a collector, until it is closed', async () => {
    const [otlpEvents, prometheusEvents] = [new CallEvents(), new CallEvents()];
    const both = await Promise.all([
      open({ otlp: 'http://127.0.0.1:9' }, otlpEvents),
      open({ prometheus: 0 }, prometheusEvents),
    ]);
    expect([otlpEvents.areTraced, prometheusEvents.areTraced]).toEqual([true, false]);
    await Promise.all(both.map((telemetry) => telemetry.close()));
    expect(otlpEvents.areTraced).toBe(false);
  });

  it('records the other calls when one cannot be recorded', async () => {
    const { deps, events: recorded } = recordingDeps();
    await invoke(deps, callRequest());
    const unreadable = new Proxy({} as ToolContract, {
      get: () => {
        throw new Error('unreadable');
      },
    });
    const events = new CallEvents();
    const telemetry = await open({ prometheus: 0 }, events);
    onTestFinished(() => telemetry.close());
    for (const isReadable of [true, false, true]) {
      for (const event of recorded) {
        const isBroken = event.type === 'phase' && !isReadable;
        events.publish(isBroken ? { ...event, contract: unreadable } : event);
      }
    }
    const scrape = await (await fetch((await telemetry.serveMetrics())!)).text();
    expect(scrape).toMatch(/^tool_invocation_count_total\{.*\} 2$/m);
  });

  it.each([
    [{ otlp: 'collector:4318' }, /telemetry\.otlp: not an http or https address/],
    [{ otlp: '${env:TELEMETRY_TEST_UNSET}' }, /telemetry: \$\{env:TELEMETRY_TEST_UNSET\}: .* not set/],
    [
      { otlp: '${env:TELEMETRY_TEST_WRONG}' },
      /telemetry\.otlp: the referenced value is not an http or https URL/,
    ],
    [{ otlpHeaders: { a: '${env:TELEMETRY_TEST_UNSET}' } }, /not set/],
    [{ prometheus: 'here' }, /telemetry\.prometheus: neither a port nor "host:port"/],
    [{ prometheus: 70_000 }, /telemetry\.prometheus/],
  ])('rejects %o', async (telemetry, reason) => {
    vi.stubEnv('TELEMETRY_TEST_WRONG', 's3cr3t');
    const error = await Promise.resolve()
      .then(() => open(telemetry))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(reason);
    expect((error as ConfigError).message).not.toContain('s3cr3t');
  });
});
