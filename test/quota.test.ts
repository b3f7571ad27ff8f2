import { describe, expect, it } from 'vitest';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway } from './gateway.ts';

const REPORT: NativeTool = {
  name: 'write_report',
  version: '1.0.0',
  description: 'Returns a long report.',
  inputSchema: { type: 'object' },
  run: () => ({ report: 'word '.repeat(5_000) }),
};

interface Answer {
  readonly isError?: boolean;
  readonly _meta: {
    readonly 'toolgate/structured': {
      readonly error?: string;
      readonly artifacts?: readonly { readonly handle: string }[];
    };
  };
}

async function gatewayWith(rateLimits: object) {
  const { url } = await openedGateway({}, { settings: { rateLimits }, native: { reports: [REPORT] } });
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

describe('rateLimits of meta-tools', () => {
  it.each(['perSession', 'perMinute'])('apply %s to tool_browse and tool_view', async (per) => {
    const limit = { [per]: 1 };
    const send = await gatewayWith({ tool_browse: limit, tool_view: limit });
    const executed = await send('tool_execute', { tool_id: '/reports/write_report', args: {} }, 'a');
    const handle = executed._meta['toolgate/structured'].artifacts![0]!.handle;
    for (const [metaTool, args] of [
      ['tool_browse', { query: 'report' }],
      ['tool_view', { handle }],
    ] as const) {
      const errors: (string | undefined)[] = [];
      for (const session of ['a', 'a', 'b'])
        errors.push((await send(metaTool, args, session))._meta['toolgate/structured'].error);
      const errorOfOtherSession = per === 'perSession' ? undefined : 'RATE_LIMITED';
      expect([metaTool, ...errors]).toEqual([metaTool, undefined, 'RATE_LIMITED', errorOfOtherSession]);
    }
  });
});
