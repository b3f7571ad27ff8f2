import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { FixtureServer, parseOptions } from './fixture-server.ts';
import { v1Server } from './v1.ts';

await v1Server(new FixtureServer(parseOptions())).connect(new StdioServerTransport());
// The transport of SDK v1 does not detect that the client is gone.
process.stdin.once('end', () => process.exit(0));
