import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call/call-request.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { GatewayApi } from '../../contract/gateway-api.ts';
import { DEFAULT_MESSAGE_LIMITS } from './parse-message.ts';
import { serveOnStdio } from './stdio.ts';

it('starts a new trace for every call of a connection that sends none', async () => {
  const requests: CallRequest[] = [];
  const invoke: GatewayApi['invoke'] = async (request) => {
    requests.push(request);
    throw new Fault('TOOL_NOT_FOUND', 'No such tool.');
  };
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const { ended, close } = serveOnStdio({
    api: { invoke } as GatewayApi,
    principal: LOCAL_USER,
    stdin,
    stdout,
    limits: DEFAULT_MESSAGE_LIMITS,
    alwaysStructured: false,
    onError: () => {},
  });
  const send = (message: object): boolean =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await once(stdout, 'data');
  for (const id of [1, 2]) {
    send({ id, method: 'tools/call', params: { name: 'tool_execute', arguments: { tool_id: 'a:b' } } });
  }
  stdin.end();
  await ended;
  await close();
  const traces = requests.map(({ caller }) => caller.trace.traceId);
  expect(traces).toHaveLength(2);
  expect(new Set(traces).size).toBe(2);
});
