import { serveStdio } from '../app/serve.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, openSession } from './session.ts';
import { ignoreHangup, waitForSignal } from './signals.ts';
import type { Terminal } from './terminal.ts';

/** `toolgate stdio`: serves MCP over stdio until the client closes its end or a signal arrives. */
export async function stdio(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  const session = await openSession(terminal, { ...options, quiet: true }, { logs: 'always' });
  ignoreHangup(session.log);
  // Not awaited: the client is answered at once, and an early browse waits a short time for the upstreams.
  void session.gateway.start();
  const serving = serveStdio(session, terminal);
  await Promise.race([serving.ended, waitForSignal()]);
  // Calls in flight end first, also after a signal: clients send one soon after they close standard input.
  await serving.close();
  // After a signal the client's end is still open, and an open pipe keeps the process alive.
  terminal.stdin.destroy();
  await session.gateway.close();
  return EXIT.ok;
}
