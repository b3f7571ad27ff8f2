import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  arrival,
  ECHO,
  type RecordingGate,
  type RecordingGateOptions,
  recordingGate,
} from '../../../test/gate.ts';
import type { ToolDescriptor } from '../../contract/descriptor.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { UpstreamCall } from '../../contract/ports/upstream.ts';
import type { Verification } from '../../contract/verification.ts';
import { invoke } from '../invoke.ts';

const tool = (name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  ...ECHO,
  name,
  inputSchema: { type: 'object' },
  ...more,
});

/** A shelf of values: `put` writes one, `get` reads it, `drop` removes it; `put` can be told to lie. */
function shelf(
  verification: Verification,
  {
    onPut,
    mutation = 'write_reversible',
    ...options
  }: RecordingGateOptions & {
    onPut?: (values: Map<string, unknown>, call: UpstreamCall) => unknown;
    mutation?: 'read_only' | 'write_reversible';
  } = {},
): RecordingGate & { values: Map<string, unknown> } {
  const values = new Map<string, unknown>();
  const recording = recordingGate({
    thresholdTokens: 1_000,
    tools: [
      tool('put', {
        inputSchema: { type: 'object', additionalProperties: true },
        declared: { mutation, verification },
      }),
      tool('get', {
        inputSchema: { type: 'object', additionalProperties: true },
        declared: { mutation: 'read_only' },
      }),
      tool('drop', { inputSchema: { type: 'object', additionalProperties: true } }),
    ],
    answer: async (call) => {
      const key = String(call.args.key);
      if (call.toolName === 'get') return said({ value: values.get(key) ?? null, size: values.size });
      if (call.toolName === 'drop') return said({ dropped: values.delete(key) });
      if (onPut) return said(onPut(values, call));
      values.set(key, call.args.value);
      return said({ key, stored: call.args.value });
    },
    ...options,
  });
  return { ...recording, values };
}

function said(structured: unknown) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structured,
    isError: false,
  };
}

function putting(gate: RecordingGate['gate'], more: object = {}): Promise<Outcome> {
  return invoke(gate, arrival({ tool: 'shop:put@1.0.0', args: { key: 'a', value: 7 }, ...more }));
}

const READ_BACK: Verification = {
  readBack: {
    tool: 'shop:get@1.0.0',
    args: { key: { from: 'args', at: '/key' } },
    expect: [{ at: '/value', equals: { from: 'args', at: '/value' } }],
  },
  compensate: { tool: 'shop:drop@1.0.0', args: { key: { from: 'result', at: '/key' } } },
};
const LIES = (values: Map<string, unknown>): unknown => {
  values.set('a', 'something else');
  return { key: 'a', stored: 7 };
};

describe('a read-back', () => {
  it('lets a call through that did what it says, and leaves a receipt of its own', async () => {
    const { gate, calls, receipts } = shelf(READ_BACK);
    expect(await putting(gate)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get']);
    expect(receipts.map(({ toolId, surface }) => [toolId, surface])).toEqual([
      ['shop:get@1.0.0', 'verification'],
      ['shop:put@1.0.0', 'test'],
    ]);
  });

  it('fails a call that did something else, and undoes it', async () => {
    const { gate, calls, values, events } = shelf(READ_BACK, { onPut: LIES });
    expect(await putting(gate)).toMatchObject({
      status: 'failed',
      error: {
        code: 'INTERNAL_TOOL_ERROR',
        message: expect.stringMatching(/^The tool ran, but the world is not .+; its effect was undone\.$/),
        details: { compensated: true },
      },
    });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
    expect(values.size).toBe(0);
    expect(events).toContainEqual(expect.objectContaining({ type: 'violation', toolId: 'shop:put@1.0.0' }));
  });

  it('says so where it could not be undone', async () => {
    const { compensate: _, ...without } = READ_BACK;
    const { gate, values } = shelf(without, { onPut: LIES });
    expect(await putting(gate)).toMatchObject({
      error: { message: expect.stringContaining('was not undone'), details: { compensated: false } },
    });
    expect(values.size).toBe(1);
  });

  it('fails where the world cannot be looked at: what is not checked is not believed', async () => {
    const broken = { ...READ_BACK, readBack: { ...READ_BACK.readBack!, tool: 'shop:gone' } };
    const { gate } = shelf(broken);
    expect(await putting(gate)).toMatchObject({
      error: { message: expect.stringContaining('could not be looked at (TOOL_NOT_FOUND)') },
    });
  });

  it('is not repeated for a call that asks again with its key, and neither is the undoing', async () => {
    const { gate, calls } = shelf(READ_BACK, { onPut: LIES });
    const first = await putting(gate, { idempotencyKey: 'k' });
    const again = await putting(gate, { idempotencyKey: 'k' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['put', 'get', 'drop']);
    const messages = [first, again].map(
      (outcome) => (outcome as { error?: { message: string } }).error?.message,
    );
    expect(messages[0]).toBe(messages[1]);
  });

  it.each([
    [{ at: '/value', exists: true }, 'ok'],
    [{ at: '/nothing', exists: false }, 'ok'],
    [{ at: '/nothing', exists: true }, 'failed'],
    [{ at: '/value', equals: { value: 7 } }, 'ok'],
    [{ at: '/value', equals: { value: '7' } }, 'failed'],
    [{ at: '/nothing', equals: { from: 'args' as const, at: '/nothing' } }, 'failed'],
  ])('expects %j', async (expectation, status) => {
    const { gate } = shelf({ readBack: { ...READ_BACK.readBack!, expect: [expectation] } });
    expect((await putting(gate)).status).toBe(status);
  });
});

describe('integrity', () => {
  const of = { from: 'result' as const, at: '/stored' };

  it.each([
    ['holds for the promised digest', 'text', { value: hash('sha256', 'text') }, 'ok'],
    ['fails for another', 'text', { value: hash('sha256', 'other') }, 'failed'],
    ['fails for what is no text', 7, { value: hash('sha256', '7') }, 'failed'],
  ])('%s', async (_, value, equals, status) => {
    const { gate } = shelf({ integrity: [{ kind: 'sha256', of, equals }] });
    expect((await putting(gate, { args: { key: 'a', value } })).status).toBe(status);
  });

  it.each([
    [[1, 2, 3], 3, 'ok'],
    [[1, 2], 3, 'failed'],
    ['abc', 3, 'failed'],
  ])('of %j with %d items', async (value, count, status) => {
    const { gate } = shelf({ integrity: [{ kind: 'count', of, equals: { value: count } }] });
    expect((await putting(gate, { args: { key: 'a', value } })).status).toBe(status);
  });
});

describe('a probe', () => {
  const probe: Verification = { probe: { tool: 'shop:get@1.0.0', args: { key: { value: 'a' } } } };

  it('raises an event when a tool that only reads changed the state, and the caller has its answer', async () => {
    const { gate, events, calls } = shelf(probe, { mutation: 'read_only' });
    expect(await putting(gate)).toMatchObject({ status: 'ok' });
    expect(calls.map(({ toolName }) => toolName)).toEqual(['get', 'put', 'get']);
    expect(events).toContainEqual({
      type: 'violation',
      callId: expect.any(String),
      toolId: 'shop:put@1.0.0',
      what: 'a tool that only reads changed the state',
    });
  });

  it('is silent when it did not, and for tools that may', async () => {
    const quiet = shelf(probe, { mutation: 'read_only', onPut: () => ({ looked: true }) });
    await putting(quiet.gate);
    const writes = shelf(probe);
    await putting(writes.gate);
    for (const { events } of [quiet, writes])
      expect(events.some(({ type }) => type === 'violation')).toBe(false);
  });
});
