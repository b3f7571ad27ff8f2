/** A server without an SDK, for output that no SDK writes: `node raw-stdio.ts 2025|2026 [exits-at-probe] [--log FILE]`. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { FixtureServer, parseOptions } from './fixture-server.ts';

type Id = string | number;
interface Message {
  readonly id: Id;
  readonly method?: string;
  readonly params?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  readonly error?: { readonly message: string };
}

const isModern = process.argv[2] === '2026';
new FixtureServer(parseOptions());
/** Members that every result of the newer era must have. */
const MODERN = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const capabilities = { tools: {} };
const schema = { type: 'object', additionalProperties: true };
const names = ['echo', 'large', 'flood', 'ask'];
const tools = names.map((name) => ({ name, description: `Test tool ${name}.`, inputSchema: schema }));
/** Answers to requests of this server. */
const answers = new Map<Id, (answer: Message) => void>();

const write = (text: string): boolean => process.stdout.write(`${text}\n`);
const send = (message: object): boolean => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
const answer = (id: Id, result: object): boolean =>
  send({ id, result: { ...result, ...(isModern && MODERN) } });
const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

const calls: Readonly<Record<string, (id: Id, args: Readonly<Record<string, unknown>>) => unknown>> = {
  echo: (id, { message }) => answer(id, text(`Echo: ${message}`)),
  large: (id, { bytes, id: place }) => {
    const result = JSON.stringify(text('x'.repeat(Number(bytes))));
    const ends = { first: `"id":${id},"result":${result}`, last: `"result":${result},"id":${id}` };
    write(`{"jsonrpc":"2.0",${ends[place as 'first'] ?? `"pad":{},"id":${id},"result":${result},"end":{}`}}`);
  },
  /** Writes as fast as the pipe takes it. */
  flood: async (id, { line, ms }) => {
    const lines = `${line}\n`.repeat(2_000);
    for (const end = Date.now() + Number(ms); Date.now() < end; )
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    answer(id, text('flooded'));
  },
  /** Sends a request to the client and returns the answer to it. */
  ask: (id, { method }) => {
    answers.set(`asked-${id}`, (given) => answer(id, text(given.error?.message ?? 'answered')));
    send({ id: `asked-${id}`, method, params: {} });
  },
};

function handle({ id, method, params }: Message): unknown {
  if (method === 'server/discover' && process.argv.includes('exits-at-probe')) process.exit(1);
  if (method === 'initialize' && !isModern)
    return answer(id, {
      protocolVersion: '2025-11-25',
      capabilities,
      serverInfo: { name: 'raw', version: '1' },
    });
  if (method === 'server/discover' && isModern)
    return answer(id, { supportedVersions: ['2026-07-28'], capabilities });
  if (method === 'tools/list') return answer(id, { tools });
  if (method === 'tools/call') return calls[params!.name]!(id, params!.arguments);
  if (method === 'ping') return answer(id, {});
  return id === undefined ? undefined : send({ id, error: { code: -32_601, message: 'no such method' } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const waiting = answers.get(message.id);
  if (message.method === undefined) waiting?.(message);
  else void handle(message);
});
