import { expect, test } from 'vitest';
import { traceFrom } from '../../contract/call/trace.ts';
import { NativeUpstream } from './upstream.ts';

test('gives a native tool a copy of its arguments', async () => {
  const upstream = new NativeUpstream('shop', [
    {
      name: 'sort',
      description: 'Sorts in place.',
      inputSchema: { type: 'object' },
      run: (args) => (args.items as unknown as number[]).sort(),
    },
  ]);
  const args = { items: [3, 1, 2] };
  const request = {
    toolName: 'sort',
    version: undefined,
    args,
    deadline: Date.now() + 1_000,
    trace: traceFrom(undefined),
  };
  const { signal } = new AbortController();
  const session = await upstream.session();
  const answer = await session.callTool(request, { signal, abandonSignal: signal });
  expect(answer).toMatchObject({ kind: 'result', result: { structured: [1, 2, 3] } });
  expect(args).toEqual({ items: [3, 1, 2] });
});
