import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, type SendParts, send } from '../../test/recording-deps.ts';
import type { CallError } from '../contract/call/outcome.ts';
import { type Effect, Fault } from '../contract/errors/fault.ts';
import type { DeclaredTerms } from '../contract/tool/descriptor.ts';
import type { ToolHints } from '../contract/tool/tool.ts';
import type { CallDependencies } from './dependencies.ts';

interface Case {
  readonly title: string;
  readonly hints?: ToolHints;
  readonly declared?: DeclaredTerms;
  readonly key?: string;
  readonly effect: Effect;
  readonly retryable: boolean;
  /** Of the details; absent for a tool that only reads. */
  readonly reported: Effect | undefined;
}

const CASES: readonly Case[] = [
  { title: 'a write that was not executed', effect: 'none', retryable: true, reported: 'none' },
  { title: 'a write that may have been executed', effect: 'unknown', retryable: false, reported: 'unknown' },
  {
    title: 'a write with a key that may have been executed',
    key: 'order-41',
    effect: 'unknown',
    retryable: false,
    reported: 'unknown',
  },
  {
    title: 'a write that is only hinted to be idempotent',
    hints: { idempotent: true },
    effect: 'unknown',
    retryable: false,
    reported: 'unknown',
  },
  {
    title: 'a write that is declared idempotent',
    declared: { idempotent: true },
    effect: 'unknown',
    retryable: true,
    reported: 'unknown',
  },
  {
    title: 'a write that takes a key, without one',
    declared: { idempotencyKeyArgument: 'request_id' },
    effect: 'unknown',
    retryable: false,
    reported: 'unknown',
  },
  {
    title: 'a write that takes a key, with one',
    declared: { idempotencyKeyArgument: 'request_id' },
    key: 'order-41',
    effect: 'unknown',
    retryable: true,
    reported: 'unknown',
  },
  { title: 'a read', hints: { readOnly: true }, effect: 'unknown', retryable: true, reported: undefined },
];

async function errorOf(deps: CallDependencies, parts: SendParts = {}): Promise<CallError> {
  const outcome = await send(deps, parts);
  if (outcome.status !== 'failed') throw new Error(`not failed: ${outcome.status}`);
  return outcome.error;
}

describe('the error of a failed call', () => {
  it.each(CASES)('reports the effect and whether to call again: $title', async (row) => {
    const { hints = {}, declared = {}, key, effect, retryable, reported } = row;
    const properties = { message: { type: 'string' }, request_id: { type: 'string' } };
    for (const code of ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'] as const) {
      const { deps } = recordingDeps({
        tools: [{ ...ECHO, inputSchema: { type: 'object', properties }, hints, declared }],
        answer: async () => {
          throw new Fault(code, 'no', { effect });
        },
      });
      const error = await errorOf(deps, key === undefined ? {} : { idempotencyKey: key });
      expect({ code, retryable: error.retryable, effect: error.details?.effect }).toEqual({
        code,
        retryable,
        effect: reported,
      });
    }
  });

  it.each([true, false])('is retryable as the contract declares it: %s', async (retryable) => {
    const errors = [{ code: 'BUSY', description: 'The service is busy.', httpStatus: 503, retryable }];
    const thrown = recordingDeps({
      tools: [{ ...ECHO, declared: { errors } }],
      answer: async () => {
        throw new Fault('UPSTREAM_UNAVAILABLE', 'busy', { details: { code: 'BUSY' } });
      },
    });
    expect(await errorOf(thrown.deps)).toMatchObject({ retryable, details: { code: 'BUSY' } });
    for (const error of [{ code: 'BUSY' }, { httpStatus: 503 }]) {
      const reported = recordingDeps({
        tools: [{ ...ECHO, declared: { errors } }],
        answer: async () => ({ content: [], isError: true, error }),
      });
      expect(await errorOf(reported.deps)).toMatchObject({ retryable, details: { code: 'BUSY' } });
    }
  });

  it('reports no effect for a call that ended before it could have one', async () => {
    const { deps } = recordingDeps();
    const error = await errorOf(deps, { args: { message: 7 } });
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.details).not.toHaveProperty('effect');
  });
});
