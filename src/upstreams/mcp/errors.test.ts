import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../contract/errors/fault.ts';
import { classify, classifyCall, wasNeverSent } from './errors.ts';

const SECRET = 'sk-live-0123456789abcdef';

function http(status: number, text = SECRET): SdkHttpError {
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
    status,
    text,
  });
}

function system(code: string): Error {
  return Object.assign(new Error(`connect ${code} ${SECRET}`), { code });
}

/** The form in which undici reports a network error. */
function fetchFailed(cause: Error): Error {
  return new TypeError('fetch failed', { cause });
}

describe('classify', () => {
  it.each<readonly [what: string, thrown: unknown, code: string, retryable: boolean]>([
    ['HTTP 400', http(400), 'UPSTREAM_FAILURE', false],
    ['HTTP 401', http(401), 'UPSTREAM_AUTH_FAILED', false],
    ['HTTP 403', http(403), 'AUTHORIZATION_DENIED', false],
    ['HTTP 404', http(404), 'UPSTREAM_UNAVAILABLE', true],
    ['HTTP 408', http(408), 'DEADLINE_EXCEEDED', true],
    ['HTTP 429', http(429), 'RATE_LIMITED', true],
    ['HTTP 500', http(500), 'UPSTREAM_FAILURE', false],
    ['HTTP 502', http(502), 'UPSTREAM_UNAVAILABLE', true],
    ['HTTP 503', http(503), 'UPSTREAM_UNAVAILABLE', true],
    ['HTTP 504', http(504), 'DEADLINE_EXCEEDED', true],
    ['a refused connection', fetchFailed(system('ECONNREFUSED')), 'UPSTREAM_UNAVAILABLE', true],
    ['a reset connection', fetchFailed(system('ECONNRESET')), 'UPSTREAM_UNAVAILABLE', true],
    ['an unknown host', fetchFailed(system('ENOTFOUND')), 'UPSTREAM_UNAVAILABLE', true],
    ['a closed pipe', system('EPIPE'), 'UPSTREAM_UNAVAILABLE', true],
    ['a closed socket', fetchFailed(system('UND_ERR_SOCKET')), 'UPSTREAM_UNAVAILABLE', true],
    ['headers that never came', fetchFailed(system('UND_ERR_HEADERS_TIMEOUT')), 'DEADLINE_EXCEEDED', true],
    [
      'a closed connection',
      new SdkError(SdkErrorCode.ConnectionClosed, SECRET),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    ['no connection', new SdkError(SdkErrorCode.NotConnected, SECRET), 'UPSTREAM_UNAVAILABLE', true],
    ['no connection, by text only', new Error('Not connected'), 'UPSTREAM_UNAVAILABLE', true],
    [
      'a request that timed out',
      new SdkError(SdkErrorCode.RequestTimeout, SECRET),
      'DEADLINE_EXCEEDED',
      true,
    ],
    ['a signal that timed out', new DOMException(SECRET, 'TimeoutError'), 'DEADLINE_EXCEEDED', true],
    [
      'a result of another shape',
      new SdkError(SdkErrorCode.InvalidResult, 'timeout'),
      'UPSTREAM_FAILURE',
      false,
    ],
    [
      'a request for user input',
      new SdkError(SdkErrorCode.UnsupportedResultType, SECRET),
      'UPSTREAM_FAILURE',
      false,
    ],
    ['an authorization error of the SDK', new UnauthorizedError(SECRET), 'UPSTREAM_AUTH_FAILED', false],
    ['a JSON-RPC error', new ProtocolError(-32_603, `401 unauthorized ${SECRET}`), 'UPSTREAM_FAILURE', false],
    ['a web page', new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, SECRET), 'UPSTREAM_FAILURE', false],
    ['text that is not JSON', new SyntaxError(SECRET), 'UPSTREAM_FAILURE', false],
    ['a rejected event stream', new SseError(401, SECRET, {} as never), 'UPSTREAM_AUTH_FAILED', false],
    [
      'a rejected POST of the SSE transport',
      new Error(`Error POSTing to endpoint (HTTP 503): ${SECRET}`),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    [
      'a text with numbers that look like statuses',
      new Error(`took 4012 ms, 401 tries, ${SECRET}`),
      'UPSTREAM_FAILURE',
      false,
    ],
    ['the text of a timeout', new Error(`the request timed out ${SECRET}`), 'DEADLINE_EXCEEDED', true],
    [
      'the text of an authorization error',
      new Error(`Unauthorized: ${SECRET}`),
      'UPSTREAM_AUTH_FAILED',
      false,
    ],
    ['the text of a lost connection', new Error(`socket hang up ${SECRET}`), 'UPSTREAM_UNAVAILABLE', true],
    ['a thrown string', SECRET, 'UPSTREAM_FAILURE', false],
    ['a thrown undefined', undefined, 'UPSTREAM_FAILURE', false],
  ])('maps %s', (_, thrown, code, retryable) => {
    const fault = classify(thrown, 'shop');
    expect(fault).toMatchObject({ code, retryable });
    expect(fault.message).toMatch(/^Upstream shop .+\.$/);
    expect(fault.message).not.toContain(SECRET);
    expect(fault.cause).toBe(thrown);
  });

  it.each<readonly [what: string, thrown: unknown]>([
    ...[400, 401, 403, 404, 429, 503].map((status) => [`HTTP ${status}`, http(status)] as const),
    ['an authorization error of the SDK', new UnauthorizedError(SECRET)],
    ...[-32_601, -32_602, -32_603, 7].map(
      (code) => [`JSON-RPC error ${code}`, new ProtocolError(code, SECRET)] as const,
    ),
  ])('takes %s for no proof that nothing happened', (_, thrown) => {
    expect(classify(thrown, 'shop').effect).toBe('unknown');
  });

  it('returns a fault unchanged', () => {
    const fault = new Fault('UPSTREAM_FAILURE', 'The upstream repeated a page cursor.');
    expect(classify(fault, 'shop')).toBe(fault);
  });

  it('maps a failed version negotiation by its cause', () => {
    const negotiation = (cause?: Error): SdkError =>
      new SdkError(SdkErrorCode.EraNegotiationFailed, 'Version negotiation failed', undefined, { cause });
    expect(classify(negotiation(), 'shop').code).toBe('UPSTREAM_UNAVAILABLE');
    expect(classify(negotiation(fetchFailed(system('ECONNREFUSED'))), 'shop').code).toBe(
      'UPSTREAM_UNAVAILABLE',
    );
    expect(classify(negotiation(new SyntaxError('<html>')), 'shop').code).toBe('UPSTREAM_FAILURE');
    expect(classify(negotiation(http(401)), 'shop').code).toBe('UPSTREAM_AUTH_FAILED');
  });
});

describe('classifyCall', () => {
  it('returns what the upstream wrote about rejected arguments, as one plain line', () => {
    const thrown = new ProtocolError(-32_602, 'expected\n a \u001b[31mpositive\u001b[0m\u200b amount');
    const fault = classifyCall(thrown, 'shop');
    expect(fault).toMatchObject({
      code: 'INVALID_INPUT',
      variant: 'upstream',
      retryable: false,
      effect: 'unknown',
      details: { upstream_message: expect.stringMatching(/expected a positive amount$/) },
    });
    const long = classifyCall(new ProtocolError(-32_602, 'x'.repeat(9_999)), 'shop');
    expect(String(long.details?.upstream_message)).toHaveLength(500);
  });

  it('maps a missing method to a tool that is gone', () => {
    expect(classifyCall(new ProtocolError(-32_601, SECRET), 'shop')).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      variant: 'upstream',
      effect: 'unknown',
      details: undefined,
    });
  });

  it.each([-32_603, -32_000, 7])('returns no text of the upstream with code %s', (code) => {
    const { message, details } = classifyCall(new ProtocolError(code, SECRET), 'shop');
    expect(classifyCall(new ProtocolError(code, SECRET), 'shop').code).toBe('UPSTREAM_FAILURE');
    expect(JSON.stringify([message, details])).not.toContain(SECRET);
  });
});

describe('wasNeverSent', () => {
  it.each<readonly [what: string, thrown: unknown, expected: boolean]>([
    ['is true when the connection was refused', fetchFailed(system('ECONNREFUSED')), true],
    ['is true when there was no connection', new SdkError(SdkErrorCode.NotConnected, ''), true],
    ['is false for any answer, whatever its words', http(400, 'No valid session ID provided'), false],
    ['is false when the connection broke later', fetchFailed(system('ECONNRESET')), false],
    ['is false when the stream ended', new SdkError(SdkErrorCode.ConnectionClosed, ''), false],
  ])('%s', (_, thrown, expected) => {
    expect(wasNeverSent(thrown)).toBe(expected);
  });
});
