/** Telemetry subscribes to events: the code that publishes them must not depend on it. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url);

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const importersOf = (pattern: RegExp): string[] =>
  FILES.filter((file) => pattern.test(readFileSync(new URL(file, ROOT), 'utf8'))).toSorted();

it('src/telemetry is imported only by the wiring in src/app', () => {
  expect(importersOf(/from '[./]+\/telemetry\/|import\('[./]+\/telemetry\//)).toEqual([
    'app/gateway.ts',
    'app/telemetry/otlp.ts',
    'app/telemetry/telemetry.ts',
    'app/wiring/store-maintenance.ts',
  ]);
});

it('OpenTelemetry is imported by telemetry alone, and its SDK only by dynamic imports', () => {
  expect(importersOf(/@opentelemetry\//)).toEqual([
    'app/telemetry/meters.ts',
    'app/telemetry/otlp.ts',
    'app/telemetry/packages.ts',
    'app/telemetry/prometheus.ts',
    'telemetry/metrics.ts',
  ]);
  expect(importersOf(/import (?!type )[^;]*from '\.\/(?:meters|otlp|prometheus)\.ts'/)).toEqual([]);
  expect(importersOf(/import\('\.\/(?:meters|otlp|prometheus)\.ts'\)/)).toEqual([
    'app/telemetry/telemetry.ts',
  ]);
});
