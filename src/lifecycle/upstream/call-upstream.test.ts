import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  NO_RETRY,
  type RecordingDepsOptions,
  recordingDeps,
  SAID,
  type SendParts,
  send,
  type UpstreamCall,
} from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';

vi.mock('node:timers/promises', () => import('../../../test/pause.ts'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const AGAIN = {
  maxAttempts: 3,
  baseDelayMs: 1_000,
  maxDelayMs: 1_000,
  codes: ['UPSTREAM_UNAVAILABLE'],
} as const;
const AWAY = new Fault('UPSTREAM_UNAVAILABLE', 'away');
const NEVER_SEEN = new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' });

function codeOf(outcome: Outcome): string {
  return outcome.status === 'failed'
    ? [outcome.error.code, outcome.error.variant].filter(Boolean).join(' ')
    : outcome.status;
}

const forgotten = (): Promise<never> => new Promise(() => {});

interface UpstreamParts {
  /** Waits for a connection; ready at once where absent. */
  readonly session?: (signal: AbortSignal) => Promise<void>;
  readonly callTool?: (call: UpstreamCall) => Promise<ToolResult>;
}

/** An upstream with the given parts, and the codes that its keyed calls end with. */
function depsWith(
  { session, callTool = async () => SAID }: UpstreamParts,
  options: RecordingDepsOptions = {},
) {
  const { deps, receipts } = recordingDeps({ ...options, answer: callTool });
  const recorded = deps.upstream('')!;
  const upstream: typeof recorded = {
    ...recorded,
    session: async (caller, signal) => {
      await session?.(signal);
      return recorded.session(caller, signal);
    },
  };
  const keyed = async (more: SendParts = {}): Promise<string> => {
    const outcome = send({ ...deps, upstream: () => upstream }, { idempotencyKey: 'k', ...more });
    await vi.runAllTimersAsync();
    return codeOf(await outcome);
  };
  return { keyed, receipts };
}

describe('a keyed write that ends without an answer', () => {
  const inASecond = () => ({ deadline: Date.now() + 1_000 });
  const cancelledSoon = () => {
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 1_000);
    return { signal: leaving.signal };
  };

  it.each([
    ['its deadline', inASecond, 'DEADLINE_EXCEEDED'],
    ['its caller', cancelledSoon, 'DEADLINE_EXCEEDED cancelled'],
  ])('by %s before anything was sent leaves its key free', async (_, bounds, code) => {
    const session = vi.fn<() => Promise<void>>(forgotten);
    const { keyed, receipts } = depsWith({ session });
    expect(await keyed(bounds())).toBe(code);
    session.mockResolvedValueOnce();
    expect(await keyed()).toBe('ok');
    expect(receipts.map(({ attempts }) => attempts)).toEqual([0, 1]);
  });

  it.each([
    ['its deadline', () => ({ deadline: Date.now() + 300 })],
    ['its caller', cancelledSoon],
  ])('by %s after it was sent is unknown', async (_, bounds) => {
    const { keyed } = depsWith({ callTool: forgotten });
    await keyed(bounds());
    expect(await keyed()).toBe('CONFLICT unknown');
  });

  /** The first attempts fail so, each after it was sent; then the caller leaves in the middle of a wait. */
  async function leftBetween(faults: readonly Fault[], idempotent: boolean): Promise<string> {
    const left = [...faults];
    const leaving = new AbortController();
    const callTool = async (): Promise<ToolResult> => {
      const fault = left.shift();
      if (left.length === 0) setTimeout(() => leaving.abort(), 100);
      if (fault) throw fault;
      return SAID;
    };
    const { keyed } = depsWith(
      { callTool },
      { retry: AGAIN, tools: [{ ...ECHO, declared: { idempotent } }] },
    );
    expect(await keyed({ signal: leaving.signal })).toBe('DEADLINE_EXCEEDED cancelled');
    return keyed();
  }

  it('between two attempts leaves its key free where none of them did anything', async () => {
    expect(await leftBetween([NEVER_SEEN], false)).toBe('ok');
    expect(await leftBetween([NEVER_SEEN, NEVER_SEEN], false)).toBe('ok');
  });

  it('between two attempts is unknown where one of them may have done something', async () => {
    expect(await leftBetween([AWAY], true)).toBe('CONFLICT unknown');
    expect(await leftBetween([AWAY, NEVER_SEEN], true)).toBe('CONFLICT unknown');
  });

  it('for a reason of the upstream leaves its key free where the upstream sent nothing, whatever it says', async () => {
    const session = vi.fn<() => Promise<void>>().mockRejectedValueOnce(AWAY).mockResolvedValue();
    const { keyed } = depsWith({ session }, { retry: NO_RETRY });
    expect(await keyed()).toBe('UPSTREAM_UNAVAILABLE');
    expect(await keyed()).toBe('ok');
  });
});
