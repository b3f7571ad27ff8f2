import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import { identifyLocalUser, readCaller } from '../identity.ts';
import { type CallContext, readCallContext } from './call-context.ts';
import { createSessionId } from './client-info.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const OTHER = '00-11111111111111111111111111111111-2222222222222222-00';

function contextOf(
  meta: Record<string, unknown> | undefined,
  headers: IncomingHttpHeaders = {},
): CallContext {
  const caller = readCaller(identifyLocalUser(LOCAL_USER), headers);
  return readCallContext(caller, meta, (name) => headers[name] as string | undefined);
}

describe('readCallContext', () => {
  it('reads the headers of the request', () => {
    const headers = {
      'idempotency-key': 'k',
      'toolgate-timeout-ms': '1500',
      'toolgate-session': 's',
      traceparent: TRACE,
    };
    expect(contextOf(undefined, headers)).toEqual({
      caller: {
        principal: LOCAL_USER,
        client: null,
        credential: null,
        transport: 'http',
        surface: 'gateway',
        trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7', flags: 1 },
      },
      metaKey: undefined,
      headerKey: 'k',
      timeoutMs: 1_500,
      wantsStructured: false,
      sessionId: 's',
    });
  });

  it('keeps the session of the transport, which shares the queue of an upstream', () => {
    expect(contextOf({}, { 'mcp-session-id': 'abc' }).caller.transportSession).toBe('abc');
    expect(contextOf({}).caller).not.toHaveProperty('transportSession');
  });

  it('prefers the values of the message to the headers', () => {
    const meta = {
      traceparent: TRACE,
      'toolgate/session': 'mine',
      'toolgate/idempotencyKey': 'mine',
      'toolgate/timeoutMs': 7,
    };
    const headers = { 'idempotency-key': 'k', 'toolgate-timeout-ms': '9', traceparent: OTHER };
    expect(contextOf(meta, headers)).toMatchObject({
      caller: { trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' } },
      metaKey: 'mine',
      headerKey: 'k',
      sessionId: 'mine',
      timeoutMs: 7,
    });
  });

  it('reads the trace state from the same source as the trace', () => {
    const headers = { traceparent: OTHER, tracestate: 'theirs=1, ours=2' };
    const stateOf = (meta?: Record<string, unknown>) => contextOf(meta, headers).caller.trace.state;
    expect(stateOf()).toBe('theirs=1, ours=2');
    expect(stateOf({ tracestate: 'mine=3' })).toBe('theirs=1, ours=2');
    expect(stateOf({ traceparent: TRACE, tracestate: 'mine=3' })).toBe('mine=3');
    expect(stateOf({ traceparent: TRACE })).toBeUndefined();
    expect(contextOf({ traceparent: 'none', tracestate: 'mine=3' }, headers).caller.trace).toMatchObject({
      isNew: true,
    });
  });

  it('keeps the new trace of a request that came without one', () => {
    const caller = readCaller(identifyLocalUser(LOCAL_USER), {});
    expect(caller.trace.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(readCallContext(caller, undefined, () => undefined).caller.trace).toBe(caller.trace);
  });

  it('passes on a timeout that is not a number, for validation', () => {
    expect(contextOf({}, { 'toolgate-timeout-ms': 'soon' }).timeoutMs).toBeNaN();
  });

  it.each([
    ['the message', { 'io.modelcontextprotocol/clientInfo': { name: 'ide', version: '2' } }, undefined],
    ['the session id of its handshake', undefined, createSessionId({ name: 'ide', version: '2' })],
  ])('reads the client info from %s', (_, meta, session) => {
    const headers = session === undefined ? {} : { 'mcp-session-id': session };
    expect(contextOf(meta, headers).caller.client).toEqual({ name: 'ide', version: '2' });
  });

  it.each([
    'x',
    'a.b',
    `${'0'.repeat(36)}.${Buffer.from('[1]').toString('base64url')}`,
    `${'0'.repeat(36)}.!!`,
  ])('ignores a session id without client info: %s', (session) => {
    expect(contextOf(undefined, { 'mcp-session-id': session }).caller.client).toBeNull();
  });
});
