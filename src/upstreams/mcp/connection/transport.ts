import { openHttp } from './http/open.ts';
import type { OpenTransport, TransportOptions } from './open-transport.ts';
import { StdioTransport } from './stdio/transport.ts';
import type { McpTarget, StdioTarget } from './target.ts';

export function openTransport(target: McpTarget, options: TransportOptions): OpenTransport {
  return target.kind === 'stdio' ? openStdio(target, options) : openHttp(target, options);
}

function openStdio(target: StdioTarget, options: TransportOptions): OpenTransport {
  const transport = new StdioTransport(target, options);
  return { transport, stderr: () => transport.stderrText(), close: () => transport.close() };
}
