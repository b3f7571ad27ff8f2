import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from './gateway.ts';
import { stdioServer } from './servers/spawn.ts';
import { heardGateway, startedCollector, startedUpstream } from './telemetry-parts.ts';

const LOST = 'telemetry does not reach the collector';
const BACK = 'telemetry reaches the collector again';

async function callsThrough(otlp: string): Promise<Awaited<ReturnType<typeof heardGateway>>> {
  const upstream = await startedUpstream();
  const heard = await heardGateway({ telemetry: { otlp }, upstreams: { shop: { url: upstream.url } } });
  for (let i = 0; i < 5; i++) {
    expect(await heard.execute({ tool_id: '/shop/read', args: { text: 'x' } })).toMatchObject({
      isError: false,
    });
  }
  return heard;
}

const toldIn = ({ lines }: { readonly lines: readonly string[] }, what: string): number =>
  lines.filter((line) => line.includes(what)).length;

describe('a collector', () => {
  it('gets both signals under its path, with the headers of the config', async () => {
    const collector = await startedCollector();
    const upstream = await startedUpstream();
    const heard = await heardGateway({
      telemetry: { otlp: `${collector.url}/tenant/`, otlpHeaders: { 'x-key': 'k' } },
      upstreams: { shop: { url: upstream.url } },
    });
    await heard.execute({ tool_id: '/shop/read', args: { text: 'x' } });
    await heard.close();
    expect(collector.received.map(({ path }) => path).toSorted()).toEqual([
      '/tenant/v1/metrics',
      '/tenant/v1/traces',
    ]);
    expect(collector.received.map(({ headers }) => [headers['x-key'], headers['content-type']])).toEqual(
      [1, 2].map(() => ['k', 'application/json']),
    );
    expect(toldIn(heard, LOST)).toBe(0);
  });

  it('that refuses everything is told of once', async () => {
    const collector = await startedCollector({ status: 401 });
    const heard = await callsThrough(collector.url);
    await heard.close();
    expect(collector.received).toHaveLength(2);
    expect(toldIn(heard, LOST)).toBe(1);
  });

  it('that is not there is told of once, and holds up neither calls nor the end', async () => {
    const heard = await callsThrough('http://127.0.0.1:9');
    await heard.close();
    await until('the end of the tries', () => toldIn(heard, LOST) > 0);
    expect(toldIn(heard, LOST)).toBe(1);
  });

  it('that never answers holds up neither calls nor the end', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const heard = await callsThrough(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await heard.close();
    // It has not waited for the last try to be given up.
    expect(toldIn(heard, LOST)).toBe(0);
    await until('the end of the tries', () => toldIn(heard, LOST) > 0);
    expect(toldIn(heard, BACK)).toBe(0);
  });
});

/** What a process looks up of OpenTelemetry is written down, or is not found, as the hook says. */
function hooked(folder: string, isHidden: boolean): { readonly hook: string; readonly log: string } {
  const [hook, log] = [join(folder, 'hook.mjs'), join(folder, 'looked-up')];
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
  const { hook, log } = hooked(folder, isHidden);
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

describe('the packages of OpenTelemetry', () => {
  it('are not even looked for where the config asks for nothing', async () => {
    const { code, stdout, log } = await toolgateCall({}, true);
    expect({ code, stdout: stdout.trim(), log }).toEqual({ code: 0, stdout: 'Echo: hi', log: '' });
  });

  it.each([
    ['otlp', 'http://127.0.0.1:9', '@opentelemetry/otlp-exporter-base'],
    ['prometheus', 0, '@opentelemetry/exporter-prometheus'],
  ])('are named where telemetry.%s needs them and they are missing', async (way, value, name) => {
    const { code, stdout, stderr } = await toolgateCall({ [way]: value }, true);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`telemetry.${way} needs packages that are not installed: npm install`);
    expect(stderr).toContain(name);
  });

  it('are used by a command that makes one call', async () => {
    const collector = await startedCollector();
    const { code, stdout } = await toolgateCall({ otlp: collector.url }, false);
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'Echo: hi' });
    expect(collector.spans.filter(({ name }) => name === 'tool.invoke')).toHaveLength(1);
  });
});
