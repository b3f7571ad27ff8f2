/** The measured targets: the same echo tool of the same server, called directly and through each gateway. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Child, freePort, startNode } from './child.ts';
import type { Era, ToolCall } from './client.ts';
import { startNativeProxy } from './native-proxy.ts';

export interface Target {
  readonly name: string;
  readonly era: Era;
  /** One process may be measured under two names, once per protocol era. */
  readonly server: Server;
  readonly echo: (message: string) => ToolCall;
}

export interface Server {
  readonly name: string;
  /** @param folder an empty folder for the server's state, never the user's own. */
  launch(folder: string): Promise<Launched>;
}

export interface Launched {
  readonly child: Child;
  readonly url: Promise<string>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EVERYTHING = findProgram('@modelcontextprotocol/server-everything');

const upstream = serverOnFreePort('upstream', (port) =>
  startNode([EVERYTHING, 'streamableHttp'], { PORT: String(port) }),
);

const toolgate = toolgateServer('toolgate', ROOT);

const traced = tracedServer('toolgate-traced', ROOT);

function toolgateServer(name: string, root: string): Server {
  return { name, launch: (folder) => launchToolgate(root, folder) };
}

const ERAS: readonly Era[] = ['2025-11-25', '2026-07-28'];

/** An upstream over HTTP, called directly. Its answers are small, so the cost of a gateway before it is visible. */
const httpUpstreams = mapEras((era) => ({
  name: nameIn(era, 'http-upstream'),
  launch: async () => {
    const child = startHttpUpstream(era);
    return { child, url: readAnnouncedUrl(child.stdout) };
  },
}));

function startHttpUpstream(era: Era): Child {
  return startNode([fileURLToPath(new URL('./http-upstream.ts', import.meta.url)), era]);
}

const overHttp = overHttpServers('toolgate', ROOT);

/** Toolgate before an upstream of its own, over HTTP in both directions. */
function overHttpServers(name: string, root: string): Readonly<Record<Era, Server>> {
  return mapEras((era) => ({
    name: nameIn(era, `${name}-http`),
    launch: (folder) =>
      launchBehind(startHttpUpstream(era), (url) => launchToolgate(root, folder, { upstream: { url } })),
  }));
}

function mapEras(make: (era: Era) => Server): Readonly<Record<Era, Server>> {
  return Object.fromEntries(ERAS.map((era) => [era, make(era)])) as Record<Era, Server>;
}

function nameIn(era: Era, name: string): string {
  return era === '2026-07-28' ? `${name}-2026` : name;
}

/** Launches a server that needs another one, whose URL that one prints. Both stop together. */
async function launchBehind(needed: Child, launch: (url: string) => Promise<Launched>): Promise<Launched> {
  const { child, url } = await launch(await readAnnouncedUrl(needed.stdout));
  const stop = async (): Promise<void> => {
    await child.stop();
    await needed.stop();
  };
  return { child: { ...child, stop }, url };
}

/** Every call is a trace of seven spans, sent to a collector. */
function tracedServer(name: string, root: string): Server {
  return {
    name,
    launch: (folder) => {
      const collector = startNode([fileURLToPath(new URL('./collector.ts', import.meta.url))]);
      return launchBehind(collector, (otlp) =>
        launchToolgate(root, folder, { settings: { telemetry: { otlp } } }),
      );
    },
  };
}

interface ToolgateOptions {
  readonly settings?: object;
  /** The entry of the one upstream. */
  readonly upstream?: object;
}

async function launchToolgate(
  root: string,
  folder: string,
  {
    settings = {},
    upstream: everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] },
  }: ToolgateOptions = {},
): Promise<Launched> {
  const config = join(folder, 'toolgate.json');
  writeFileSync(config, JSON.stringify({ ...settings, upstreams: { everything } }));
  const command = [join(root, 'bin/toolgate.js'), 'serve', '--config', config, '--port', '0', '--json'];
  const child = startNode(command, { TOOLGATE_HOME: folder });
  return { child, url: readAnnouncedUrl(child.stdout) };
}

const mcpProxy = serverOnFreePort('mcp-proxy', (port) => {
  const upstreamArgs = ['--', process.execPath, EVERYTHING, 'stdio'];
  const serverArgs = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
  return startNode([findProgram('mcp-proxy'), ...serverArgs, ...upstreamArgs]);
});

const supergateway = serverOnFreePort('supergateway', (port) => {
  // supergateway runs this line in a shell.
  const upstreamArgs = ['--stdio', `"${process.execPath}" "${EVERYTHING}" stdio`];
  const serverArgs = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)];
  return startNode([findProgram('supergateway'), ...upstreamArgs, ...serverArgs, '--logLevel', 'none']);
});

const echo = (message: string): ToolCall => ({ name: 'echo', arguments: { message } });
const gatewayEcho = (message: string): ToolCall => ({
  name: 'tool_execute',
  arguments: { tool_id: '/everything/echo', args: { message } },
});

/** Each call has its own key. It is claimed and completed, and its result is stored for a replay that is never requested. */
const keyedEcho = (message: string): ToolCall => ({
  name: 'tool_execute',
  arguments: { tool_id: '/everything/echo', args: { message }, idempotency_key: message },
});

/** The same targets of another build of Toolgate in the same run, to measure the cost of a change. */
export function earlierTargets(root: string, only: readonly string[]): readonly Target[] {
  const earlier = new Map<Server, Server>([
    [toolgate, toolgateServer('before', root)],
    [traced, tracedServer('before-traced', root)],
  ]);
  const earlierOverHttp = overHttpServers('before', root);
  for (const era of ERAS) earlier.set(overHttp[era], earlierOverHttp[era]);
  return TARGETS.filter(({ name }) => name.startsWith('toolgate') && only.includes(name)).map((target) => ({
    ...target,
    name: earlierNameOf(target.name),
    server: earlier.get(target.server)!,
  }));
}

/** A proxy in Rust before the same upstream as `toolgate-http`. */
export const NATIVE_TARGET: Target = {
  name: 'mcp-proxy-rs-http',
  era: '2025-11-25',
  server: {
    name: 'mcp-proxy-rs-http',
    launch: (folder) =>
      launchBehind(startHttpUpstream('2025-11-25'), async (upstreamUrl) => {
        const { child, url } = await startNativeProxy(folder, upstreamUrl);
        return { child, url: Promise.resolve(url) };
      }),
  },
  echo: (message) => ({ name: 'everything/echo', arguments: { message } }),
};

export function earlierNameOf(name: string): string {
  return name.replace(/^toolgate/, 'before');
}

export const TARGETS: readonly Target[] = [
  { name: 'upstream', era: '2025-11-25', server: upstream, echo },
  { name: 'toolgate', era: '2025-11-25', server: toolgate, echo: gatewayEcho },
  { name: 'toolgate-keyed', era: '2025-11-25', server: toolgate, echo: keyedEcho },
  { name: 'toolgate-traced', era: '2025-11-25', server: traced, echo: keyedEcho },
  { name: 'mcp-proxy', era: '2025-11-25', server: mcpProxy, echo },
  { name: 'supergateway', era: '2025-11-25', server: supergateway, echo },
  { name: 'toolgate-2026', era: '2026-07-28', server: toolgate, echo: gatewayEcho },
  { name: 'mcp-proxy-2026', era: '2026-07-28', server: mcpProxy, echo },
  ...ERAS.flatMap((era) => [
    { name: nameIn(era, 'http-upstream'), era, server: httpUpstreams[era], echo },
    { name: nameIn(era, 'toolgate-http'), era, server: overHttp[era], echo: gatewayEcho },
  ]),
];

function serverOnFreePort(name: string, start: (port: number) => Child): Server {
  return {
    name,
    launch: async () => {
      const port = await freePort();
      return { child: start(port), url: Promise.resolve(`http://127.0.0.1:${port}/mcp`) };
    },
  };
}

async function readAnnouncedUrl(stdout: Readable): Promise<string> {
  let printed = '';
  return new Promise((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      const url = /"url":\s*"([^"]+)"/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** The program of an installed package. It runs without a shell, which would distort times and memory. */
function findProgram(packageName: string): string {
  const folder = join(ROOT, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  return join(folder, Object.values(bin)[0]!);
}
