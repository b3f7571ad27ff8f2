import { serveStdio } from '../app/serve.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, openSession } from './session.ts';
import { untilSignal } from './signals.ts';
import type { Terminal } from './terminal.ts';

/** `toolgate stdio`: the door on standard streams, until the client closes its end. */
export async function stdio(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  const session = await openSession(terminal, { ...options, quiet: true }, { logs: 'always' });
  // The client is answered at once; whoever browses before the upstreams are there waits for them a little.
  void session.gateway.start();
  const serving = serveStdio(session, terminal);
  await Promise.race([serving.ended, untilSignal()]);
  await serving.close();
  // After a signal the client's end is still open, and an open pipe keeps a process alive.
  terminal.stdin.destroy();
  await session.gateway.close();
  return EXIT.ok;
}
