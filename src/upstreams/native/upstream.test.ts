import { expect, test } from 'vitest';
import { traceFrom } from '../../contract/call/trace.ts';
import { NativeUpstream } from './upstream.ts';

test('a tool that changes its arguments changes them for itself alone', async () => {
  const upstream = new NativeUpstream('shop', [
    {
      name: 'sort',
      description: 'Sorts in place.',
      inputSchema: { type: 'object' },
      run: (args) => (args.items as unknown as number[]).sort(),
    },
  ]);
  const args = { items: [3, 1, 2] };
  const call = {
    toolName: 'sort',
    version: undefined,
    args,
    signal: new AbortController().signal,
    deadline: Date.now() + 1_000,
    trace: traceFrom(undefined),
    beforeSend: async () => {},
  };
  expect(await upstream.call(call)).toMatchObject({ structured: [1, 2, 3] });
  expect(args).toEqual({ items: [3, 1, 2] });
});
