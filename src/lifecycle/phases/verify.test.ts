import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function answer(structured: unknown): ToolResult {
  return { content: [], structured, isError: false };
}

function errorOf(outcome: Outcome): unknown {
  return outcome.status === 'failed' ? outcome.error : undefined;
}

describe('an answer that is not believed', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } } };

  it.each([
    ['breaks its schema', { outputSchema }, answer({ n: 'seven' }), 'INTERNAL_TOOL_ERROR'],
    ['lacks what it promises', { outputSchema }, answer(undefined), 'INTERNAL_TOOL_ERROR'],
    ['is too deep to be written down', {}, answer(nested(20_000)), 'UPSTREAM_FAILURE'],
  ])('because it %s is told to whoever asks again, in the same words', async (_, more, result, code) => {
    const { deps, calls, events } = recordingDeps({
      tools: [{ ...ECHO, ...more }],
      answer: async () => result,
    });
    const first = await send(deps, { idempotencyKey: 'k' });
    const again = await send(deps, { idempotencyKey: 'k' });
    expect(first).toMatchObject({ status: 'failed', error: { code } });
    expect(errorOf(again)).toEqual(errorOf(first));
    expect(again).toMatchObject({ provenance: { source: 'replay', replayOf: first.callId } });
    expect(calls).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'trouble')).toEqual([]);
  });
});
