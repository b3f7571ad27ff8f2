import { describe, expect, it } from 'vitest';
import { checkMessage } from './check-message.ts';

const request = (more: object = {}): object => ({ jsonrpc: '2.0', id: 1, method: 'ping', ...more });
const PARAMS = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
const initialize = (params?: unknown): object => request({ method: 'initialize', params });
const check = (message: unknown, version = '2025-03-26') => checkMessage(message, version);

describe('checkMessage', () => {
  it.each<[string, unknown]>([
    ['a request', request()],
    ['the largest safe id', request({ id: Number.MAX_SAFE_INTEGER })],
    ['a text as id', request({ id: '9007199254740993' })],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error without an id', { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }],
    ['initialize with its params', initialize(PARAMS)],
    ['a batch before 2025-06-18', [request(), { jsonrpc: '2.0', method: 'x' }]],
  ])('accepts %s', (_, message) => {
    expect(check(message)).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['a number', 7, /must be a JSON object/],
    ['null', null, /must be a JSON object/],
    ['an object without jsonrpc', { id: 1, method: 'ping' }, /"jsonrpc" must be "2.0"/],
    ['a method that is no text', request({ method: 7 }), /"method" must be a string/],
    ['neither a method nor a result', { jsonrpc: '2.0', id: 1 }, /"method" must be a string/],
    ['an id that is null', request({ id: null }), /"id" must be a string or an integer/],
    [
      'an id that was rounded',
      request({ id: JSON.parse('9007199254740993') }),
      /"id" must be a string or an integer/,
    ],
    ['an id with a fraction', request({ id: 1.5 }), /"id" must be a string or an integer/],
    ['an empty batch', [], /The batch is empty/],
    ['a batch with an invalid message', [request(), 7], /Message 2 of the batch: A message must be/],
  ])('refuses %s as an invalid request', (_, message, text) => {
    expect(check(message)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringMatching(text) },
    });
  });

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])('refuses a batch under %s', (version) => {
    expect(check([request()], version)?.error).toEqual({
      code: -32_600,
      message: `Protocol version ${version} has no batches. Send each message by itself.`,
    });
  });

  it.each([
    ['params', undefined],
    ['a version', { ...PARAMS, protocolVersion: undefined }],
    ['capabilities', { ...PARAMS, capabilities: 7 }],
    ['clientInfo', { ...PARAMS, clientInfo: undefined }],
    ['the name of the client', { ...PARAMS, clientInfo: { version: '1' } }],
  ])('refuses initialize without %s as invalid params, under its id', (_, params) => {
    expect(check(initialize(params))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_602, message: expect.stringMatching(/^initialize needs/) },
    });
  });
});
