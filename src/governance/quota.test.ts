import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../contract/errors/fault.ts';
import { Quota, type QuotaSubject } from './quota.ts';

function quotaAt(limits: ConstructorParameters<typeof Quota>[0]): { quota: Quota; clock: { now: number } } {
  const clock = { now: 1_000_000 };
  return { quota: new Quota(limits, () => clock.now), clock };
}

const ONE: QuotaSubject = { caller: 'me', session: 's' };
const OTHER: QuotaSubject = { caller: 'me', session: 'other' };

function refusal(act: () => void): Fault | undefined {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  return undefined;
}

describe('§4.5 rate limiting', () => {
  it('counts the last sixty seconds at any moment, and says when to come again', () => {
    const { quota, clock } = quotaAt({ tool_execute: { perMinute: 2 } });
    quota.consume(ONE, ['tool_execute']);
    clock.now += 20_000;
    quota.consume(ONE, ['tool_execute']);
    clock.now += 30_000;
    expect(refusal(() => quota.consume(ONE, ['tool_execute']))).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: 10_000,
      details: { scope: 'tool_execute', retry_after: 10 },
    });
    clock.now += 10_001;
    quota.consume(ONE, ['tool_execute']);
    expect(refusal(() => quota.consume(ONE, ['tool_execute']))).toBeDefined();
  });

  it('counts a session to its end', () => {
    const { quota, clock } = quotaAt({ x: { perSession: 2 } });
    quota.consume(ONE, ['x']);
    clock.now += 10 * 60_000;
    quota.consume(ONE, ['x']);
    clock.now += 10 * 60_000;
    expect(refusal(() => quota.consume(ONE, ['x']))).toMatchObject({ details: { scope: 'x' } });
    quota.consume(OTHER, ['x']);
  });

  it('counts a minute for the caller: a new name for a session makes nothing faster', () => {
    const { quota } = quotaAt({ x: { perMinute: 2 } });
    quota.consume(ONE, ['x']);
    quota.consume(OTHER, ['x']);
    expect(refusal(() => quota.consume({ caller: 'me', session: 'third' }, ['x']))).toBeDefined();
    quota.consume({ caller: 'you', session: 's' }, ['x']);
  });

  it('tells what is left, of what is limited', () => {
    const { quota } = quotaAt({ x: { perMinute: 2, perSession: 5 }, y: { perSession: 1 }, z: {} });
    quota.consume(ONE, ['x', 'y']);
    expect(quota.remaining(ONE, ['x', 'y', 'z'])).toEqual([
      { scope: 'x', perMinute: 1, perSession: 4 },
      { scope: 'y', perSession: 0 },
    ]);
    expect(quota.remaining(OTHER, ['x'])).toEqual([{ scope: 'x', perMinute: 1, perSession: 5 }]);
  });

  it('takes several scopes together or not at all', () => {
    const { quota } = quotaAt({ tool_execute: { perSession: 10 }, 'a:b': { perSession: 1 } });
    quota.consume(ONE, ['tool_execute', 'a:b']);
    for (let i = 0; i < 20; i++)
      expect(refusal(() => quota.consume(ONE, ['tool_execute', 'a:b']))).toBeDefined();
    for (let i = 0; i < 9; i++) quota.consume(ONE, ['tool_execute']);
    expect(refusal(() => quota.consume(ONE, ['tool_execute']))).toBeDefined();
  });

  it('judges a rehearsal without counting it', () => {
    const { quota } = quotaAt({ x: { perSession: 1 } });
    for (let i = 0; i < 5; i++) quota.check(ONE, ['x']);
    quota.consume(ONE, ['x']);
    expect(refusal(() => quota.check(ONE, ['x']))).toBeDefined();
  });

  it('knows no limit that nobody set', () => {
    const { quota } = quotaAt({ x: {} });
    for (let i = 0; i < 1_000; i++) quota.consume(ONE, ['x', 'y', '__proto__', 'constructor']);
  });

  it('never lets more through in any sixty seconds than the limit, whatever the moments', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }),
        (perMinute, pauses) => {
          const { quota, clock } = quotaAt({ x: { perMinute } });
          const passed: number[] = [];
          for (const pause of pauses) {
            clock.now += pause;
            if (!refusal(() => quota.consume(ONE, ['x']))) passed.push(clock.now);
          }
          for (const at of passed)
            expect(passed.filter((other) => other > at - 60_000 && other <= at).length).toBeLessThanOrEqual(
              perMinute,
            );
        },
      ),
    );
  });
});
