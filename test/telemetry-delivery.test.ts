import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from './gateway.ts';
import { stdioServer } from './servers/spawn.ts';
import { openObservedGateway, startCollector, startTestUpstream } from './telemetry-fixtures.ts';

const FAILING = 'OTLP export failing';
const WORKING = 'OTLP export working again';

async function makeCalls(otlp: string): Promise<Awaited<ReturnType<typeof openObservedGateway>>> {
  const upstream = await startTestUpstream();
  const observed = await openObservedGateway({
    telemetry: { otlp },
    upstreams: { shop: { url: upstream.url } },
  });
  for (let i = 0; i < 5; i++) {
    expect(await observed.execute({ tool_id: '/shop/read', args: { text: 'x' } })).toMatchObject({
      isError: false,
    });
  }
  return observed;
}

const countLines = ({ lines }: { readonly lines: readonly string[] }, text: string): number =>
  lines.filter((line) => line.includes(text)).length;

describe('an OTLP collector', () => {
  it('receives traces and metrics under its path, with the headers of the config', async () => {
    const collector = await startCollector();
    const upstream = await startTestUpstream();
    const observed = await openObservedGateway({
      telemetry: { otlp: `${collector.url}/tenant/`, otlpHeaders: { 'x-key': 'k' } },
      upstreams: { shop: { url: upstream.url } },
    });
    await observed.execute({ tool_id: '/shop/read', args: { text: 'x' } });
    await observed.close();
    expect(collector.received.map(({ path }) => path).toSorted()).toEqual([
      '/tenant/v1/metrics',
      '/tenant/v1/traces',
    ]);
    expect(collector.received.map(({ headers }) => [headers['x-key'], headers['content-type']])).toEqual(
      [1, 2].map(() => ['k', 'application/json']),
    );
    expect(countLines(observed, FAILING)).toBe(0);
  });

  it('that refuses every export is logged once', async () => {
    const collector = await startCollector({ status: 401 });
    const observed = await makeCalls(collector.url);
    await observed.close();
    expect(collector.received).toHaveLength(2);
    expect(countLines(observed, FAILING)).toBe(1);
  });

  it('that is unreachable is logged once and delays neither calls nor the shutdown', async () => {
    const observed = await makeCalls('http://127.0.0.1:9');
    await observed.close();
    await until('the end of the retries', () => countLines(observed, FAILING) > 0);
    expect(countLines(observed, FAILING)).toBe(1);
  });

  it('that never responds delays neither calls nor the shutdown', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const observed = await makeCalls(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await observed.close();
    // The shutdown did not wait for the export to time out.
    expect(countLines(observed, FAILING)).toBe(0);
    await until('the end of the retries', () => countLines(observed, FAILING) > 0);
    expect(countLines(observed, WORKING)).toBe(0);
  });
});

/** Writes a module hook that logs every import of an OpenTelemetry package, and makes it fail where `isHidden`. */
function writeHook(folder: string, isHidden: boolean): { readonly hook: string; readonly log: string } {
  const [hook, log] = [join(folder, 'hook.mjs'), join(folder, 'imports')];
  writeFileSync(log, '');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) {
      appendFileSync(${JSON.stringify(log)}, specifier + '\\n');
      if (${isHidden}) throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    }
    return next(specifier, context);
  },
});`,
  );
  return { hook, log };
}

async function toolgateCall(
  telemetry: object,
  isHidden: boolean,
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly log: string;
}> {
  const folder = temporaryFolder();
  const { hook, log } = writeHook(folder, isHidden);
  const file = join(folder, 'toolgate.json');
  writeFileSync(file, JSON.stringify({ telemetry, upstreams: { shop: stdioServer('v2-stdio') } }));
  const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
  const args = ['--import', hook, main, 'call', '/shop/echo', '{"message":"hi"}', '--config', file];
  return new Promise((resolve) => {
    const env = { ...process.env, TOOLGATE_HOME: folder };
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr, log: readFileSync(log, 'utf8') }),
    );
  });
}

describe('the OpenTelemetry packages', () => {
  it('are not imported without telemetry in the config', async () => {
    const { code, stdout, log } = await toolgateCall({}, true);
    expect({ code, stdout: stdout.trim(), log }).toEqual({ code: 0, stdout: 'Echo: hi', log: '' });
  });

  it.each([
    ['otlp', 'http://127.0.0.1:9', '@opentelemetry/otlp-exporter-base'],
    ['prometheus', 0, '@opentelemetry/exporter-prometheus'],
  ])(
    'are named with the install command where telemetry.%s needs them and they are missing',
    async (exporter, value, name) => {
      const { code, stdout, stderr } = await toolgateCall({ [exporter]: value }, true);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(
        `telemetry.${exporter} needs packages that are not installed. Run: npm install`,
      );
      expect(stderr).toContain(name);
    },
  );

  it('are used by a command that makes a single call', async () => {
    const collector = await startCollector();
    const { code, stdout } = await toolgateCall({ otlp: collector.url }, false);
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'Echo: hi' });
    expect(collector.spans.filter(({ name }) => name === 'tool.invoke')).toHaveLength(1);
  });
});
