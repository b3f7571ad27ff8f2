import { describe, expect, it } from 'vitest';
import { callRequest, ECHO_RESULT, recordingDeps, send } from '../../test/recording-deps.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import { PHASES } from '../contract/call/phase.ts';
import { traceFrom } from '../contract/call/trace.ts';
import { Fault } from '../contract/errors/fault.ts';
import { makeRuleSet } from '../redaction/rule-set.ts';
import { CallRun } from './call-run.ts';
import { type CallEvent, CallEvents } from './events.ts';

const secrets = makeRuleSet();

function callRun(request: CallRequest, events: CallEvents): CallRun {
  return new CallRun({ request, handles: {}, origin: 'caller' }, { events, secrets });
}

const INCOMING = traceFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02', 'rojo=1');

describe('CallRun.record', () => {
  it('is plain data that survives a round trip through JSON', async () => {
    const { deps } = recordingDeps();
    const run = callRun(callRequest({ client: { name: 'c', version: '1' } }), new CallEvents());
    const { contracts } = deps.catalog.snapshot;
    Object.assign(run.record.facts, { contract: contracts[0]!, inputHash: 'a', sentHash: 'b' });
    expect(JSON.parse(JSON.stringify(run.record))).toEqual(run.record);
  });
});

describe('CallRun.trace', () => {
  it("is the caller's trace unchanged when no listener exports spans", () => {
    expect(callRun(callRequest({ trace: INCOMING }), new CallEvents()).trace).toBe(INCOMING);
  });

  it('has the span id of the current phase as its parent, equal to the id in the event', async () => {
    const events = new CallEvents();
    const published: CallEvent[] = [];
    events.subscribe((event) => published.push(event), { makesSpans: true });
    const run = callRun(callRequest({ trace: INCOMING }), events);
    const parentIds: string[] = [];
    for (const phase of PHASES) {
      await run.runPhase(phase, () => {
        const { parentId, ...trace } = run.trace;
        expect(trace).toEqual({ traceId: INCOMING.traceId, flags: 2, state: 'rojo=1' });
        parentIds.push(parentId);
      });
    }
    expect(published.flatMap((event) => (event.type === 'phase' ? [event.spanId] : []))).toEqual(parentIds);
    const ids = published.flatMap((event) => ('spanId' in event ? [event.spanId] : []));
    expect(new Set([...ids, INCOMING.parentId]).size).toBe(1 + PHASES.length + 1);
    for (const id of ids) expect(id).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  });

  it('has different span ids for every call', () => {
    const ids = new Set<string>();
    const events = new CallEvents();
    events.subscribe((event) => void (event.type === 'started' && ids.add(event.spanId)));
    for (let i = 0; i < 10_000; i++) callRun(callRequest(), events);
    expect(ids.size).toBe(10_000);
  });
});

describe('the events of a call', () => {
  it('have times in ascending order from the start of the call', async () => {
    const { deps, events } = recordingDeps();
    const before = Date.now();
    await send(deps);
    const times = events.flatMap((event) => {
      if (event.type === 'started') return [event.at];
      return event.type === 'phase' ? [event.startedAt, event.startedAt + event.durationMs] : [];
    });
    expect(times).toHaveLength(1 + 2 * PHASES.length);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(before);
  });

  it('contain the contract from the phase on that resolved it', async () => {
    const { deps, events } = recordingDeps();
    await send(deps);
    await send(deps, { tool: 'shop:nothing' });
    const known = events.flatMap((event) => (event.type === 'phase' ? [event.contract?.name] : []));
    expect(known).toEqual([...PHASES.map(() => 'echo'), undefined]);
  });

  it('contain every retry with the error code of the attempt before it', async () => {
    let failures = 2;
    const { deps, events } = recordingDeps({
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        if (failures-- > 0) throw new Fault('UPSTREAM_UNAVAILABLE', 'gone', { effect: 'none' });
        return ECHO_RESULT;
      },
    });
    await send(deps);
    expect(events.filter((event) => event.type === 'retried')).toMatchObject([
      { attempt: 2, code: 'UPSTREAM_UNAVAILABLE' },
      { attempt: 3, code: 'UPSTREAM_UNAVAILABLE' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'ended', receipt: { attempts: 3, status: 'ok' } });
  });
});
