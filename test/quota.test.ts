import { describe, expect, it } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway } from './gateway.ts';

const TELL: NativeTool = {
  name: 'tell',
  version: '1.0.0',
  description: 'Tells a long story.',
  inputSchema: { type: 'object' },
  run: () => ({ story: 'word '.repeat(5_000) }),
};

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent: {
    readonly error?: string;
    readonly artifacts?: readonly { readonly handle: string }[];
  };
}

async function gatewayWith(rateLimits: object) {
  const { url } = await openedGateway({}, { settings: { rateLimits }, native: { tales: [TELL] } });
  return async (name: string, args: object, session: string): Promise<Answer> => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'toolgate-session': session,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const { result } = (await response.json()) as { result: Answer };
    return result;
  };
}

describe('§4.5 rate limits, of each meta-tool alike', () => {
  it.each(['perSession', 'perMinute'])('%s', async (per) => {
    const limit = { [per]: 1 };
    const send = await gatewayWith({ tool_browse: limit, tool_view: limit });
    const told = await send('tool_execute', { tool_id: '/tales/tell', args: {} }, 'a');
    const handle = told.structuredContent.artifacts![0]!.handle;
    for (const [verb, args] of [
      ['tool_browse', { query: 'story' }],
      ['tool_view', { handle }],
    ] as const) {
      const errors: (string | undefined)[] = [];
      for (const session of ['a', 'a', 'b'])
        errors.push((await send(verb, args, session)).structuredContent.error);
      const ofAnotherSession = per === 'perSession' ? undefined : 'RATE_LIMITED';
      expect([verb, ...errors]).toEqual([verb, undefined, 'RATE_LIMITED', ofAnotherSession]);
    }
  });
});
