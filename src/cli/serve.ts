import type { Config } from '../app/config/load.ts';
import { serveHttp } from '../app/serve.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, openSession } from './session.ts';
import { ignoreHangup, waitForSignal } from './signals.ts';
import { print, printJson, printStderr, type Terminal, upstreamLine } from './terminal.ts';

export interface ServeOptions extends CommonOptions {
  readonly port?: number;
  readonly host?: string;
}

const SHUTTING_DOWN = 'Shutting down: waiting for calls in flight. A second signal ends the gateway at once.';

/** `toolgate serve`: serves MCP over HTTP until a signal. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<ExitCode> {
  const stopping = waitForSignal();
  const quiet = { ...options, quiet: true };
  const { config, gateway, log } = await openSession(terminal, quiet, { logs: 'always' });
  ignoreHangup(log);
  try {
    const listener = await serveHttp({ gateway, config: withOptions(config, options), log });
    const url = `${listener.url}/mcp`;
    if (!options.json) printStderr(terminal, `Listening on ${url}. Starting upstreams …`);
    await Promise.race([gateway.start(), stopping]);
    if (options.json) printJson(terminal, { url, upstreams: gateway.upstreams() });
    else {
      for (const status of gateway.upstreams()) printStderr(terminal, upstreamLine(status));
      print(terminal, `MCP endpoint: ${url}`);
    }
    await stopping;
    if (!options.json) printStderr(terminal, SHUTTING_DOWN);
    await listener.close();
  } finally {
    await gateway.close();
  }
  return EXIT.ok;
}

function withOptions(config: Config, { port, host }: ServeOptions): Config {
  const { settings } = config;
  const server = {
    ...settings.server,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
  };
  return { ...config, settings: { ...settings, server } };
}
