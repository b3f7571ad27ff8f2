/** The measured targets: the same echo tool of the same server, called directly and through each gateway. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Child, freePort, startNode } from './child.ts';
import type { Era, ToolCall } from './client.ts';

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

/** Every call is a trace of seven spans, sent to a collector. */
function tracedServer(name: string, root: string): Server {
  return {
    name,
    launch: async (folder) => {
      const collector = startNode([fileURLToPath(new URL('./collector.ts', import.meta.url))]);
      const otlp = await readAnnouncedUrl(collector.stdout);
      const { child, url } = await launchToolgate(root, folder, { telemetry: { otlp } });
      const stop = async (): Promise<void> => {
        await child.stop();
        await collector.stop();
      };
      return { child: { ...child, stop }, url };
    },
  };
}

async function launchToolgate(root: string, folder: string, settings: object = {}): Promise<Launched> {
  const config = join(folder, 'toolgate.json');
  const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
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
  const server = toolgateServer('before', root);
  const tracedEarlier = tracedServer('before-traced', root);
  return TARGETS.filter(({ name }) => name.startsWith('toolgate') && only.includes(name)).map((target) => ({
    ...target,
    name: earlierNameOf(target.name),
    server: target.server === traced ? tracedEarlier : server,
  }));
}

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
