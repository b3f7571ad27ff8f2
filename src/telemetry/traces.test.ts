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

  it('has the labels of the tool, as far as they are plain values', async () => {
    const labels = { team: 'shop', tier: 2, pii: true, owners: ['a'], share: 0.5 };
    const [span] = spansOf({ ...(await completedCall()), contract: { ...contractOf({}), labels } });
    expect(span!.attributes!.filter(({ key }) => key.startsWith('toolgate.label.'))).toEqual([
      { key: 'toolgate.label.team', value: { stringValue: 'shop' } },
      { key: 'toolgate.label.tier', value: { intValue: 2 } },
      { key: 'toolgate.label.pii', value: { boolValue: true } },
    ]);
  });

  it('is empty where the trace is not sampled', async () => {
    const call = await completedCall();
    expect(spansOf({ ...call, trace: { ...call.trace, flags: 0 } })).toEqual([]);
  });
});
