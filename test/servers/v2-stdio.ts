import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { FixtureServer, parseOptions } from './fixture-server.ts';
import { v2Server } from './v2.ts';

const options = parseOptions();
const fixture = new FixtureServer(options);
serveStdio(() => v2Server(fixture, (server) => void server.sendToolListChanged()), {
  legacy: options.modernOnly ? 'reject' : 'serve',
});
