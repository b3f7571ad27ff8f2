import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolNames } from '../catalog/tool-keys.ts';
import { Fault } from '../contract/errors/fault.ts';
import { Quota, type QuotaSubject } from './quota.ts';

function quotaAt(limits: ConstructorParameters<typeof Quota>[0]): { quota: Quota; clock: { now: number } } {
  const clock = { now: 1_000_000 };
  return { quota: new Quota(limits, () => clock.now), clock };
}

function toolNamed(name: string): ToolNames {
  return { id: `files:${name}@1.0.0`, namespace: 'files', name, upstreamName: name };
}

const SUBJECT: QuotaSubject = { caller: 'me', session: 's' };
const OTHER_SESSION: QuotaSubject = { caller: 'me', session: 'other' };

function faultOf(operation: () => void): Fault | undefined {
  try {
    operation();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  return undefined;
}

describe('Quota.scopesOf', () => {
  const limits = {
    tool_execute: { perMinute: 9 },
    'files:read': { perMinute: 1 },
    'files:read@1.0.0': { perMinute: 2 },
    'files:*': { perMinute: 3 },
    'files:write': { perMinute: 4 },
  };

  it('finds the limits of a tool by its id, its name and patterns', () => {
    const { quota } = quotaAt(limits);
    expect(quota.scopesOf(toolNamed('read'))).toEqual([
      'tool_execute',
      'files:*',
      'files:read',
      'files:read@1.0.0',
    ]);
    expect(quota.scopesOf(toolNamed('tool_execute'))).toEqual(['tool_execute', 'files:*']);
  });

  it('counts the tools of a pattern together', () => {
    const { quota } = quotaAt({ 'files:*': { perSession: 2 } });
    for (const name of ['read', 'write']) quota.consume(SUBJECT, quota.scopesOf(toolNamed(name)));
    expect(faultOf(() => quota.consume(SUBJECT, quota.scopesOf(toolNamed('list'))))).toMatchObject({
      code: 'RATE_LIMITED',
      details: { scope: 'files:*' },
    });
  });
});

describe('Quota (§4.5 rate limiting)', () => {
  it('counts a sliding window of sixty seconds, and reports when to retry', () => {
    const { quota, clock } = quotaAt({ tool_execute: { perMinute: 2 } });
    quota.consume(SUBJECT, ['tool_execute']);
    clock.now += 20_000;
    quota.consume(SUBJECT, ['tool_execute']);
    clock.now += 30_000;
    expect(faultOf(() => quota.consume(SUBJECT, ['tool_execute']))).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: 10_000,
      details: { scope: 'tool_execute', retry_after: 10 },
    });
    clock.now += 10_001;
    quota.consume(SUBJECT, ['tool_execute']);
    expect(faultOf(() => quota.consume(SUBJECT, ['tool_execute']))).toBeDefined();
  });

  it('counts all calls of a session, without a time window', () => {
    const { quota, clock } = quotaAt({ x: { perSession: 2 } });
    quota.consume(SUBJECT, ['x']);
    clock.now += 10 * 60_000;
    quota.consume(SUBJECT, ['x']);
    clock.now += 10 * 60_000;
    expect(faultOf(() => quota.consume(SUBJECT, ['x']))).toMatchObject({ details: { scope: 'x' } });
    quota.consume(OTHER_SESSION, ['x']);
  });

  it('counts calls per minute by caller, so that a new session id does not raise the limit', () => {
    const { quota } = quotaAt({ x: { perMinute: 2 } });
    quota.consume(SUBJECT, ['x']);
    quota.consume(OTHER_SESSION, ['x']);
    expect(faultOf(() => quota.consume({ caller: 'me', session: 'third' }, ['x']))).toBeDefined();
    quota.consume({ caller: 'you', session: 's' }, ['x']);
  });

  it('reports what remains of each limit, and nothing for unlimited scopes', () => {
    const { quota } = quotaAt({ x: { perMinute: 2, perSession: 5 }, y: { perSession: 1 }, z: {} });
    quota.consume(SUBJECT, ['x', 'y']);
    expect(quota.remaining(SUBJECT, ['x', 'y', 'z'])).toEqual([
      { scope: 'x', perMinute: 1, perSession: 4 },
      { scope: 'y', perSession: 0 },
    ]);
    expect(quota.remaining(OTHER_SESSION, ['x'])).toEqual([{ scope: 'x', perMinute: 1, perSession: 5 }]);
  });

  it('consumes several scopes together or none of them', () => {
    const { quota } = quotaAt({ tool_execute: { perSession: 10 }, 'a:b': { perSession: 1 } });
    quota.consume(SUBJECT, ['tool_execute', 'a:b']);
    for (let i = 0; i < 20; i++)
      expect(faultOf(() => quota.consume(SUBJECT, ['tool_execute', 'a:b']))).toBeDefined();
    for (let i = 0; i < 9; i++) quota.consume(SUBJECT, ['tool_execute']);
    expect(faultOf(() => quota.consume(SUBJECT, ['tool_execute']))).toBeDefined();
  });

  it('checks a dry run without counting it', () => {
    const { quota } = quotaAt({ x: { perSession: 1 } });
    for (let i = 0; i < 5; i++) quota.check(SUBJECT, ['x']);
    quota.consume(SUBJECT, ['x']);
    expect(faultOf(() => quota.check(SUBJECT, ['x']))).toBeDefined();
  });

  it('applies no limit where none is set', () => {
    const { quota } = quotaAt({ x: {} });
    for (let i = 0; i < 1_000; i++) quota.consume(SUBJECT, ['x', 'y', '__proto__', 'constructor']);
  });

  it('never allows more calls than the limit in any sixty seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }),
        (perMinute, pauses) => {
          const { quota, clock } = quotaAt({ x: { perMinute } });
          const allowed: number[] = [];
          for (const pause of pauses) {
            clock.now += pause;
            if (!faultOf(() => quota.consume(SUBJECT, ['x']))) allowed.push(clock.now);
          }
          for (const at of allowed)
            expect(allowed.filter((other) => other > at - 60_000 && other <= at).length).toBeLessThanOrEqual(
              perMinute,
            );
        },
      ),
    );
  });
});
