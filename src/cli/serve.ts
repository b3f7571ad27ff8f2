import { serveHttp } from '../app/serving.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, openSession } from './session.ts';
import { untilSignal } from './signals.ts';
import { print, printJson, say, type Terminal, upstreamLine } from './terminal.ts';

export interface ServeOptions extends CommonOptions {
  readonly port?: number;
  readonly host?: string;
}

/** `toolgate serve`: the door over HTTP, until a signal. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<ExitCode> {
  const { config, gateway, log } = await openSession(terminal, { ...options, quiet: true });
  const server = {
    ...config.settings.server,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.host !== undefined && { host: options.host }),
  };
  const listener = await serveHttp({
    gateway,
    config: { ...config, settings: { ...config.settings, server } },
    log,
  });
  const url = `${listener.url}/mcp`;
  if (!options.json) say(terminal, `Listening on ${url}; upstreams are starting.`);
  await gateway.start();
  if (options.json) printJson(terminal, { url, upstreams: gateway.upstreams() });
  else {
    for (const status of gateway.upstreams()) say(terminal, upstreamLine(status));
    print(terminal, `MCP endpoint: ${url}`);
  }
  await untilSignal();
  if (!options.json) say(terminal, 'Closing: calls under way are finished first.');
  await listener.close();
  await gateway.close();
  return EXIT.ok;
}
