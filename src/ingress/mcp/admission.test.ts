import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Admission } from './admission.ts';

const responseFor = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
const call = (name: string): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
const LISTEN = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };

describe('Admission', () => {
  it.each([
    ['calls', call('tool_execute'), 'Too many calls are in flight (2).'],
    ['subscriptions', LISTEN, 'Too many subscriptions are open (3).'],
  ])('counts %s until their responses are closed', (_, message, refusal) => {
    const admission = new Admission({ maxInFlight: 2, maxSubscriptions: 3 });
    const responses: ServerResponse[] = [];
    const refuse = (): string | undefined => {
      const response = responseFor();
      responses.push(response);
      return admission.refuseMessage(message, response);
    };
    const max = message === LISTEN ? 3 : 2;
    for (let i = 0; i < max; i++) expect(refuse()).toBeUndefined();
    expect(refuse()).toBe(refusal);
    expect(refuse()).toBe(refusal);
    responses[0]!.emit('close');
    expect(refuse()).toBeUndefined();
    expect(refuse()).toBe(refusal);
  });

  it('counts calls on both paths together', () => {
    const admission = new Admission({ maxInFlight: 2, maxSubscriptions: 1 });
    expect(admission.refuseCall('tool_execute', responseFor())).toBeUndefined();
    expect(admission.refuseMessage(call('tool_execute'), responseFor())).toBeUndefined();
    expect(admission.refuseCall('tool_execute', responseFor())).toMatch(/^Too many calls/);
  });

  it('accepts lookups and the handshake while calls and subscriptions are at their limits, up to their own', () => {
    const admission = new Admission({ maxInFlight: 1, maxSubscriptions: 1 });
    admission.refuseCall('tool_execute', responseFor());
    admission.refuseMessage(LISTEN, responseFor());
    const lookups = [
      call('tool_browse'),
      call('tool_view'),
      { method: 'initialize' },
      { method: 'tools/list' },
    ];
    for (let i = 0; i < 128; i++)
      expect(admission.refuseMessage(lookups[i % 4], responseFor())).toBeUndefined();
    expect(admission.refuseCall('tool_browse', responseFor())).toBe('Too many requests are in flight (128).');
  });

  it('counts every call of a batch, and accepts a batch above the limit alone', () => {
    const admission = new Admission({ maxInFlight: 4, maxSubscriptions: 1 });
    const batchOf = (length: number): object[] => Array.from({ length }, () => call('tool_execute'));
    const first = responseFor();
    expect(admission.refuseMessage([...batchOf(5), call('tool_browse')], first)).toBeUndefined();
    expect(admission.refuseCall('tool_execute', responseFor())).toMatch(/^Too many calls/);
    first.emit('close');
    expect(admission.refuseMessage(batchOf(3), responseFor())).toBeUndefined();
    expect(admission.refuseMessage(batchOf(2), responseFor())).toMatch(/^Too many calls/);
    expect(admission.refuseMessage(batchOf(1), responseFor())).toBeUndefined();
  });
});
