import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** An upstream that counts its effects. It runs outside of the gateways, so its counts survive their crashes. */
export interface CountingUpstream {
  readonly url: string;
  /** How often the effect of a key has happened. */
  effectsOf(key: string): number;
  close(): Promise<void>;
}

const MAX_WORK_MS = 20;

const CHARGE = {
  name: 'charge',
  description: 'Charges an order. A second call charges it twice.',
  inputSchema: { type: 'object' as const, properties: { order: { type: 'string' } }, required: ['order'] },
};

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const effects = new Map<string, number>();
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [CHARGE] }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const order = String(params.arguments?.order);
      // A pause before and after the effect, so that a crash can happen on either side.
      await pause(Math.random() * MAX_WORK_MS);
      effects.set(order, (effects.get(order) ?? 0) + 1);
      await pause(Math.random() * MAX_WORK_MS);
      return { content: [{ type: 'text', text: `${order} charged` }] };
    });
    return server;
  });
  const { promise: port, resolve } = Promise.withResolvers<number>();
  const listener = serve(
    { fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: 0 },
    (info) => resolve(info.port),
  );
  return {
    url: `http://127.0.0.1:${await port}/mcp`,
    effectsOf: (key) => effects.get(key) ?? 0,
    close: async () => {
      await handler.close();
      listener.close();
    },
  };
}
