import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function resultWith(structured: unknown): ToolResult {
  return { content: [], structured, isError: false };
}

function errorOf(outcome: Outcome): unknown {
  return outcome.status === 'failed' ? outcome.error : undefined;
}

describe('verifyCall', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } } };

  it.each([
    ['violates its output schema', { outputSchema }, resultWith({ n: 'seven' }), 'INTERNAL_TOOL_ERROR'],
    ['lacks the structured output', { outputSchema }, resultWith(undefined), 'INTERNAL_TOOL_ERROR'],
    ['is nested too deep to be stored', {}, resultWith(nested(20_000)), 'UPSTREAM_FAILURE'],
  ])('replays the same error when the result %s', async (_, more, result, code) => {
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
