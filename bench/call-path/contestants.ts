/** Who is measured: the same echo tool of the same server, by itself and behind each gateway. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Child, freePort, startNode } from './child.ts';
import type { Era, ToolCall } from './wire.ts';

export interface Contestant {
  readonly name: string;
  readonly era: Era;
  /** One process may run under two names: once for each era that it speaks. */
  readonly server: Server;
  readonly echo: (message: string) => ToolCall;
}

export interface Server {
  readonly name: string;
  /** @param folder an empty one for whatever it must keep: never the user's own. */
  launch(folder: string): Promise<Launched>;
}

export interface Launched {
  readonly child: Child;
  readonly url: Promise<string>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EVERYTHING = binOf('@modelcontextprotocol/server-everything');

const upstream = onGivenPort('upstream', (port) =>
  startNode([EVERYTHING, 'streamableHttp'], { PORT: String(port) }),
);

const toolgate = toolgateOf('toolgate', ROOT);

/** Every call is a trace of seven spans, sent to a collector. */
const traced: Server = {
  name: 'toolgate-traced',
  launch: async (folder) => {
    const collector = startNode([fileURLToPath(new URL('./collector.ts', import.meta.url))]);
    const otlp = await announcedUrl(collector.stdout);
    const { child, url } = await launchToolgate(ROOT, folder, { telemetry: { otlp } });
    const end = async (): Promise<void> => {
      await child.end();
      await collector.end();
    };
    return { child: { ...child, end }, url };
  },
};

function toolgateOf(name: string, root: string): Server {
  return { name, launch: (folder) => launchToolgate(root, folder) };
}

async function launchToolgate(root: string, folder: string, settings: object = {}): Promise<Launched> {
  const config = join(folder, 'toolgate.json');
  const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
  writeFileSync(config, JSON.stringify({ ...settings, upstreams: { everything } }));
  const command = [join(root, 'bin/toolgate.js'), 'serve', '--config', config, '--port', '0', '--json'];
  const child = startNode(command, { TOOLGATE_HOME: folder });
  return { child, url: announcedUrl(child.stdout) };
}

const mcpProxy = onGivenPort('mcp-proxy', (port) => {
  const behind = ['--', process.execPath, EVERYTHING, 'stdio'];
  const front = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
  return startNode([binOf('mcp-proxy'), ...front, ...behind]);
});

const supergateway = onGivenPort('supergateway', (port) => {
  // It hands this line to a shell.
  const behind = ['--stdio', `"${process.execPath}" "${EVERYTHING}" stdio`];
  const front = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)];
  return startNode([binOf('supergateway'), ...behind, ...front, '--logLevel', 'none']);
});

const echo = (message: string): ToolCall => ({ name: 'echo', arguments: { message } });
const throughToolgate = (message: string): ToolCall => ({
  name: 'tool_execute',
  arguments: { tool_id: '/everything/echo', args: { message } },
});

/** Each with a key of its own: claimed, intended, sealed and kept for a replay that never comes. */
const withKey = (message: string): ToolCall => ({
  name: 'tool_execute',
  arguments: { tool_id: '/everything/echo', args: { message }, idempotency_key: message },
});

/** Another build of Toolgate, in the same run: what a change costs. */
export function earlierBuild(root: string): Contestant {
  return { name: 'before', era: '2025-11-25', server: toolgateOf('before', root), echo: throughToolgate };
}

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'upstream', era: '2025-11-25', server: upstream, echo },
  { name: 'toolgate', era: '2025-11-25', server: toolgate, echo: throughToolgate },
  { name: 'toolgate-keyed', era: '2025-11-25', server: toolgate, echo: withKey },
  { name: 'toolgate-traced', era: '2025-11-25', server: traced, echo: withKey },
  { name: 'mcp-proxy', era: '2025-11-25', server: mcpProxy, echo },
  { name: 'supergateway', era: '2025-11-25', server: supergateway, echo },
  { name: 'toolgate-2026', era: '2026-07-28', server: toolgate, echo: throughToolgate },
  { name: 'mcp-proxy-2026', era: '2026-07-28', server: mcpProxy, echo },
];

function onGivenPort(name: string, start: (port: number) => Child): Server {
  return {
    name,
    launch: async () => {
      const port = await freePort();
      return { child: start(port), url: Promise.resolve(`http://127.0.0.1:${port}/mcp`) };
    },
  };
}

async function announcedUrl(stdout: Readable): Promise<string> {
  let printed = '';
  return new Promise((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
      const url = /"url":\s*"([^"]+)"/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** The program of an installed package, run without a shell in between that would blur times and memory. */
function binOf(packageName: string): string {
  const folder = join(ROOT, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  return join(folder, Object.values(bin)[0]!);
}
