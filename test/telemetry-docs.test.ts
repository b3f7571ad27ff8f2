import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { loadConfig } from '../src/app/config/load.ts';
import { importOptional } from '../src/app/telemetry/packages.ts';

const root = new URL('../', import.meta.url);
const page = readFileSync(new URL('docs/reference/telemetry.md', root), 'utf8');

it('the example config loads', () => {
  vi.stubEnv('COLLECTOR_TOKEN', 'token');
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(page)!;
  const { telemetry } = loadConfig({ settings: parseYaml(example!) }).settings;
  vi.unstubAllEnvs();
  expect(telemetry).toEqual({
    otlp: 'http://localhost:4318',
    otlpHeaders: { authorization: 'Bearer token' },
    prometheus: 9464,
    serviceName: 'toolgate',
  });
});

it.each(['otlp', 'prometheus'] as const)(
  'the page names the packages that telemetry.%s needs',
  async (exporter) => {
    const missing = Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' });
    const error = await importOptional(exporter, undefined, () => Promise.reject(missing)).catch(String);
    const [command] = /npm install [@\w/ -]+/.exec(String(error))!;
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`\`telemetry.${exporter}\`: \`${command}\``);
    const { peerDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(Object.keys(peerDependencies)).toEqual(expect.arrayContaining(command.split(' ').slice(2)));
  },
);

it('the page lists exactly the metrics that exist', () => {
  const source = readFileSync(new URL('src/telemetry/metrics.ts', root), 'utf8');
  const existing = [...source.matchAll(/'(tool\.[a-z_.]+)'/g)].map(([, name]) => name!);
  const rows = [...page.matchAll(/^\| (`tool\.[^|]*) \|.*$/gm)].filter(
    ([row]) => !row.includes('not reported'),
  );
  expect(rows.map(([, name]) => name!.replaceAll('`', '')).toSorted()).toEqual(existing.toSorted());
});

it('the page lists every span attribute', () => {
  const source = readFileSync(new URL('src/telemetry/traces.ts', root), 'utf8');
  const set = new Set(
    [...source.matchAll(/'((?:toolgate|gen_ai|mcp|error)\.[a-z_.]+)':/g)].map(([, name]) => name!),
  );
  expect(set.size).toBeGreaterThan(12);
  const text = page.replaceAll('`, `.', '`, `toolgate.tool.');
  expect([...set].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
