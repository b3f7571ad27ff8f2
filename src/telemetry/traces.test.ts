import { describe, expect, it } from 'vitest';
import { callRequest, contractOf, recordingDeps } from '../../test/recording-deps.ts';
import { invoke } from '../lifecycle/invoke.ts';
import { type CompletedCall, observeCalls } from './completed-call.ts';
import { traceSerializer } from './otlp-json.ts';
import { spansOf } from './traces.ts';

async function completedCall(): Promise<CompletedCall> {
  const { deps } = recordingDeps();
  const calls: CompletedCall[] = [];
  deps.events.subscribe(observeCalls((call) => calls.push(call)));
  await invoke(deps, callRequest());
  return calls[0]!;
}

describe('spansOf', () => {
  it('makes valid JSON of tool names, trace states and event names that need escaping', async () => {
    const call = await completedCall();
    const hostile = 'a "b"\\\n\u2028\ud800 c';
    const spans = spansOf({
      ...call,
      trace: { ...call.trace, state: hostile },
      contract: { ...contractOf({}), name: hostile },
      incidents: [{ at: 1, event: { type: 'violation', callId: 'c', toolId: 't', what: hostile } }],
    });
    const body = traceSerializer({ 'service.name': hostile }, { name: 'toolgate', version: '1' })(spans);
    const { resource, scopeSpans } = JSON.parse(body.toString('utf8')).resourceSpans[0];
    expect(resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: hostile } }]);
    expect(scopeSpans[0].spans).toHaveLength(1 + call.phases.length);
    const [span] = scopeSpans[0].spans;
    expect(span.traceState).toBe(hostile);
    expect(span.attributes).toContainEqual({
      key: 'gen_ai.tool.name',
      value: { stringValue: `shop:${hostile}` },
    });
    expect(span.events[0].attributes).toEqual([
      { key: 'toolgate.violation.what', value: { stringValue: hostile } },
    ]);
  });

  it('is empty where the trace is not sampled', async () => {
    const call = await completedCall();
    expect(spansOf({ ...call, trace: { ...call.trace, flags: 0 } })).toEqual([]);
  });
});
