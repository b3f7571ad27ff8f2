/** Telemetry subscribes: what it listens to does not know that it exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url);

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const importersOf = (pattern: RegExp): string[] =>
  FILES.filter((file) => pattern.test(readFileSync(new URL(file, ROOT), 'utf8'))).toSorted();

it('is imported where the house is put together, and nowhere else', () => {
  expect(importersOf(/from '[./]+\/telemetry\/|import\('[./]+\/telemetry\//)).toEqual([
    'app/gateway.ts',
    'app/telemetry-otlp.ts',
    'app/telemetry.ts',
  ]);
});

it('alone knows OpenTelemetry, and its SDK only behind a door that a config opens', () => {
  expect(importersOf(/@opentelemetry\//)).toEqual([
    'app/telemetry-meters.ts',
    'app/telemetry-otlp.ts',
    'app/telemetry-packages.ts',
    'app/telemetry-prometheus.ts',
    'telemetry/metrics.ts',
  ]);
  const doors = /from '\.\/telemetry-(?:meters|otlp|prometheus)\.ts'/;
  expect(importersOf(doors)).toEqual([]);
  expect(importersOf(/import\('\.\/telemetry-(?:meters|otlp|prometheus)\.ts'\)/)).toEqual([
    'app/telemetry.ts',
  ]);
});
