import { describe, expect, it } from 'vitest';
import { callRequest, recordingDeps, SAID, send } from '../../test/recording-deps.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import { PHASES } from '../contract/call/phase.ts';
import { traceFrom } from '../contract/call/trace.ts';
import { Fault } from '../contract/errors/fault.ts';
import { makeRuleSet } from '../redaction/rule-set.ts';
import { CallRun } from './call-run.ts';
import { type CallEvent, CallEvents } from './events.ts';

function callRun(request: CallRequest, events: CallEvents): CallRun {
  return new CallRun({ request, handles: {}, origin: 'caller' }, { events, secrets: makeRuleSet() });
}

const CAME = traceFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02', 'rojo=1');

describe('the record of a call', () => {
  it('is plain data that survives JSON, whatever the phases learned', async () => {
    const { deps } = recordingDeps();
    const run = callRun(callRequest({ client: { name: 'c', version: '1' } }), new CallEvents());
    const { contracts } = deps.catalog.snapshot;
    run.learn({ contract: contracts[0]!, inputHash: 'a', sentHash: 'b' });
    expect(JSON.parse(JSON.stringify(run.record))).toEqual(run.record);
  });
});

describe('the trace of a call', () => {
  it('goes on as it came where nobody makes spans', () => {
    expect(callRun(callRequest({ trace: CAME }), new CallEvents()).trace).toBe(CAME);
  });

  it('goes on from the phase under way, under the id that its event tells', async () => {
    const events = new CallEvents();
    const told: CallEvent[] = [];
    events.subscribe((event) => told.push(event), { makesSpans: true });
    const record = callRun(callRequest({ trace: CAME }), events);
    const passedOn: string[] = [];
    for (const phase of PHASES) {
      await record.runPhase(phase, () => {
        const { parentId, ...trace } = record.trace;
        expect(trace).toEqual({ traceId: CAME.traceId, flags: 2, state: 'rojo=1' });
        passedOn.push(parentId);
      });
    }
    expect(told.flatMap((event) => (event.type === 'phase' ? [event.spanId] : []))).toEqual(passedOn);
    const ids = told.flatMap((event) => ('spanId' in event ? [event.spanId] : []));
    expect(new Set([...ids, CAME.parentId]).size).toBe(1 + PHASES.length + 1);
    for (const id of ids) expect(id).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  });

  it('has ids of its own for every call', () => {
    const ids = new Set<string>();
    const events = new CallEvents();
    events.subscribe((event) => void (event.type === 'started' && ids.add(event.spanId)));
    for (let i = 0; i < 10_000; i++) callRun(callRequest(), events);
    expect(ids.size).toBe(10_000);
  });
});

describe('what is told of a call', () => {
  it('has times that follow each other from its arrival on', async () => {
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

  it('has the contract from the phase on that found it', async () => {
    const { deps, events } = recordingDeps();
    await send(deps);
    await send(deps, { tool: 'shop:nothing' });
    const known = events.flatMap((event) => (event.type === 'phase' ? [event.contract?.name] : []));
    expect(known).toEqual([...PHASES.map(() => 'echo'), undefined]);
  });

  it('has every attempt after the first, and what the one before it came to', async () => {
    let failures = 2;
    const { deps, events } = recordingDeps({
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, codes: ['UPSTREAM_UNAVAILABLE'] },
      answer: async () => {
        if (failures-- > 0) throw new Fault('UPSTREAM_UNAVAILABLE', 'gone', { effect: 'none' });
        return SAID;
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
