/** `npm start`: a gateway on loopback with three real MCP servers and one native tool. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  type Config,
  countTokens,
  type Gateway,
  loadConfig,
  makeLogger,
  openGateway,
  type ServingOptions,
  serveHttp,
} from 'toolgate';
import { worldTime } from './world-time.ts';

const CONFIG = 'examples/demo/toolgate.yaml';

process.env.TOOLGATE_HOME ??= 'examples/demo/.state';
const config: Config = loadConfig({ file: CONFIG });
const log = makeLogger('error');
const gateway = await openGateway({ config, log, native: { clock: [worldTime] } });

console.log('Starting three MCP servers and one native tool …');
const serving = await listen({ gateway, config, log });
await gateway.start();
const url = `${serving.url}/mcp`;

for (const { namespace, state, tools } of gateway.upstreams()) {
  const status =
    'reason' in state ? `${state.kind}: ${state.reason}` : `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  console.log(`  ${state.kind === 'ready' ? '✓' : '✗'} ${namespace.padEnd(12)} ${status}`);
}

const { all, shown } = await countListedTokens(gateway, url);
console.log(`
All tool schemas take ${all} tokens of every context.
The three tools of Toolgate take ${shown} tokens, ${Math.round((1 - shown / all) * 100)} % less.

MCP endpoint   ${url}

Add this to your MCP client's config:

  { "mcpServers": { "toolgate": { "type": "http", "url": "${url}" } } }

Try it in another shell, in this folder:

  npx toolgate browse "read a text file" --config ${CONFIG}
  npx toolgate call /everything/echo '{"message":"hello"}' --config ${CONFIG}
  npx toolgate doctor --config ${CONFIG}

Press Ctrl-C to stop.`);

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
await stopped;
console.log('\nStopping.');
await serving.close();
await gateway.close();

/** Uses the default port, or a free one if it is taken. */
async function listen(options: ServingOptions): Promise<{ url: string; close(): Promise<void> }> {
  try {
    return await serveHttp(options);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE')) throw thrown;
    options.config.settings.server.port = 0;
    return serveHttp(options);
  }
}

/** Tokens of all tool schemas, and of the three tools that Toolgate lists. */
async function countListedTokens(
  { snapshot }: Gateway,
  address: string,
): Promise<{ all: number; shown: number }> {
  const schemas = snapshot().contracts.map(({ upstreamName, description, inputSchema }) => ({
    name: upstreamName,
    description,
    inputSchema,
  }));
  const client = new Client({ name: 'demo', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const { tools } = await client.listTools();
  await client.close();
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { all: countTokens(JSON.stringify(schemas)), shown: countTokens(JSON.stringify(listed)) };
}
