import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ECHO,
  ECHO_RESULT,
  NO_RETRY,
  type RecordingDepsOptions,
  recordingDeps,
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

const RETRY = {
  maxAttempts: 3,
  baseDelayMs: 1_000,
  maxDelayMs: 1_000,
  codes: ['UPSTREAM_UNAVAILABLE'],
} as const;
const UNAVAILABLE = new Fault('UPSTREAM_UNAVAILABLE', 'away');
const NOT_SENT = new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' });

function codeOf(outcome: Outcome): string {
  return outcome.status === 'failed'
    ? [outcome.error.code, outcome.error.variant].filter(Boolean).join(' ')
    : outcome.status;
}

const hang = (): Promise<never> => new Promise(() => {});

interface UpstreamParts {
  /** Waits for a connection; connected at once where absent. */
  readonly session?: (signal: AbortSignal) => Promise<void>;
  readonly callTool?: (call: UpstreamCall) => Promise<ToolResult>;
}

/** Dependencies with this upstream; `keyed` sends a keyed call and returns the code of its outcome. */
function depsWith(
  { session, callTool = async () => ECHO_RESULT }: UpstreamParts,
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

describe('callUpstream for a keyed write', () => {
  const deadlineInOneSecond = () => ({ deadline: Date.now() + 1_000 });
  const cancelInOneSecond = () => {
    const cancelled = new AbortController();
    setTimeout(() => cancelled.abort(), 1_000);
    return { signal: cancelled.signal };
  };

  it.each([
    ['its deadline', deadlineInOneSecond, 'DEADLINE_EXCEEDED'],
    ['its caller', cancelInOneSecond, 'CANCELLED'],
  ])('releases the key when %s ends the call before anything was sent', async (_, bounds, code) => {
    const session = vi.fn<() => Promise<void>>(hang);
    const { keyed, receipts } = depsWith({ session });
    expect(await keyed(bounds())).toBe(code);
    session.mockResolvedValueOnce();
    expect(await keyed()).toBe('ok');
    expect(receipts.map(({ attempts }) => attempts)).toEqual([0, 1]);
  });

  it.each([
    ['its deadline', () => ({ deadline: Date.now() + 300 })],
    ['its caller', cancelInOneSecond],
  ])('marks the outcome unknown when %s ends the call after it was sent', async (_, bounds) => {
    const { keyed } = depsWith({ callTool: hang });
    await keyed(bounds());
    expect(await keyed()).toBe('CONFLICT unknown');
  });

  /** Fails one attempt for each fault, then cancels during the retry delay. Returns the code of a second call. */
  async function cancelBetweenAttempts(faults: readonly Fault[], idempotent: boolean): Promise<string> {
    const remaining = [...faults];
    const cancelled = new AbortController();
    const callTool = async (): Promise<ToolResult> => {
      const fault = remaining.shift();
      if (remaining.length === 0) setTimeout(() => cancelled.abort(), 100);
      if (fault) throw fault;
      return ECHO_RESULT;
    };
    const { keyed } = depsWith(
      { callTool },
      { retry: RETRY, tools: [{ ...ECHO, declared: { idempotent } }] },
    );
    expect(await keyed({ signal: cancelled.signal })).toBe('CANCELLED');
    return keyed();
  }

  it('releases the key when it ends between two attempts and none of them had an effect', async () => {
    expect(await cancelBetweenAttempts([NOT_SENT], false)).toBe('ok');
    expect(await cancelBetweenAttempts([NOT_SENT, NOT_SENT], false)).toBe('ok');
  });

  it('marks the outcome unknown when it ends between two attempts and one may have had an effect', async () => {
    expect(await cancelBetweenAttempts([UNAVAILABLE], true)).toBe('CONFLICT unknown');
    expect(await cancelBetweenAttempts([UNAVAILABLE, NOT_SENT], true)).toBe('CONFLICT unknown');
  });

  it('releases the key when the upstream fails before it has sent anything, even without effect: none', async () => {
    const session = vi.fn<() => Promise<void>>().mockRejectedValueOnce(UNAVAILABLE).mockResolvedValue();
    const { keyed } = depsWith({ session }, { retry: NO_RETRY });
    expect(await keyed()).toBe('UPSTREAM_UNAVAILABLE');
    expect(await keyed()).toBe('ok');
  });
});
