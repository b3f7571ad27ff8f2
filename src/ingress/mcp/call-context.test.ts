import { describe, expect, it } from 'vitest';
import { type ReadHeader, readCallContext } from './call-context.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const OTHER = '00-11111111111111111111111111111111-2222222222222222-00';

const readIn =
  (headers: Headers): ReadHeader =>
  (name) =>
    headers.get(name) ?? undefined;

describe('the context of a call', () => {
  it('comes from the headers of the request', () => {
    const headers = new Headers({
      'Idempotency-Key': 'k',
      'Toolgate-Timeout-Ms': '1500',
      'Toolgate-Session': 's',
      traceparent: TRACE,
    });
    expect(readCallContext(undefined, readIn(headers))).toEqual({
      trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7', flags: 1 },
      idempotencyKey: 'k',
      timeoutMs: 1_500,
      sessionId: 's',
    });
  });

  it('and from the message first', () => {
    const meta = {
      traceparent: TRACE,
      'toolgate/session': 'mine',
      'toolgate/idempotencyKey': 'mine',
      'toolgate/timeoutMs': 7,
    };
    const headers = new Headers({ 'idempotency-key': 'k', 'toolgate-timeout-ms': '9', traceparent: OTHER });
    expect(readCallContext(meta, readIn(headers))).toMatchObject({
      trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
      idempotencyKey: 'mine',
      sessionId: 'mine',
      timeoutMs: 7,
    });
  });

  it('has the state of the trace from where the trace is from', () => {
    const headers = new Headers({ traceparent: OTHER, tracestate: 'theirs=1' });
    headers.append('tracestate', 'ours=2');
    expect(readCallContext(undefined, readIn(headers)).trace.state).toBe('theirs=1, ours=2');
    expect(readCallContext({ tracestate: 'mine=3' }, readIn(headers)).trace.state).toBe('theirs=1, ours=2');
    expect(readCallContext({ traceparent: TRACE, tracestate: 'mine=3' }, readIn(headers)).trace.state).toBe(
      'mine=3',
    );
    expect(readCallContext({ traceparent: TRACE }, readIn(headers)).trace).not.toHaveProperty('state');
    expect(
      readCallContext({ traceparent: 'none', tracestate: 'mine=3' }, readIn(headers)).trace,
    ).toMatchObject({
      isNew: true,
    });
  });

  it('is a new trace and nothing else where neither says a word', () => {
    const { trace, ...rest } = readCallContext(undefined, () => undefined);
    expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(rest).toEqual({ sessionId: undefined, idempotencyKey: undefined, timeoutMs: undefined });
  });

  it('is passed on unchecked: a timeout that is no number is refused later', () => {
    expect(readCallContext({}, readIn(new Headers({ 'toolgate-timeout-ms': 'soon' }))).timeoutMs).toBeNaN();
  });
});
