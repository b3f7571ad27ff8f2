import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { plainLine } from '../../base/text/plain-text.ts';
import { Fault } from '../../contract/errors/fault.ts';

/**
 * Maps a failure of the SDK or the network to the error catalogue. Types, codes, statuses and errno decide; text is the
 * last resort. The text of an upstream or a library goes to the log as the cause, never to the caller. The effect stays
 * unknown: a server may act first and then answer with any status or JSON-RPC code.
 */
export function classify(thrown: unknown, namespace: string): Fault {
  if (thrown instanceof Fault) return thrown;
  // A transport failed this one request itself.
  if (thrown instanceof ProtocolError && thrown.data instanceof Fault) return thrown.data;
  const status = httpStatusOf(thrown);
  if (status !== undefined) return classifyStatus(status, namespace, thrown);
  if (thrown instanceof ProtocolError) {
    const message = `Upstream ${namespace} rejected the request (JSON-RPC error ${thrown.code}). Its message is in the gateway's debug log.`;
    return failed(message, thrown);
  }
  const errno = errnoOf(thrown);
  if (errno !== undefined) {
    return TIMEOUTS.has(errno) ? timedOut(namespace, thrown) : unavailable(namespace, thrown);
  }
  if (isNotProtocol(thrown)) return notMcp(namespace, thrown);
  if (thrown instanceof SdkError) return classifySdkError(thrown, namespace);
  return classifyText(thrown, namespace);
}

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const MAX_MESSAGE_LENGTH = 500;

/**
 * Maps the failure of a tool call. Servers refuse arguments and unknown tools with JSON-RPC codes; the text about the
 * arguments is returned, because a model needs it to correct them.
 */
export function classifyCall(thrown: unknown, namespace: string): Fault {
  const code =
    thrown instanceof ProtocolError && httpStatusOf(thrown) === undefined ? thrown.code : undefined;
  if (code === INVALID_PARAMS) {
    const message = `Upstream ${namespace} rejected the call as invalid (JSON-RPC error ${code}). Its message is in the details.`;
    const upstreamMessage = plainLine((thrown as ProtocolError).message, MAX_MESSAGE_LENGTH);
    const details = { upstream_message: upstreamMessage };
    return new Fault('INVALID_INPUT', message, { variant: 'upstream', details, cause: thrown });
  }
  if (code === METHOD_NOT_FOUND) {
    const message = `Upstream ${namespace} no longer has this tool (JSON-RPC error ${code}). Browse for it again.`;
    return new Fault('TOOL_NOT_FOUND', message, { variant: 'upstream', cause: thrown });
  }
  return classify(thrown, namespace);
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

function classifyStatus(status: number, namespace: string, cause: unknown): Fault {
  if (status === 401) return authFailed(namespace, cause);
  if (status === 403)
    return new Fault(
      'AUTHORIZATION_DENIED',
      `Upstream ${namespace} denied the gateway access (HTTP 403). Grant its credentials the permission.`,
      { cause },
    );
  if (status === 408 || status === 504) return timedOut(namespace, cause);
  if (status === 429)
    return new Fault(
      'RATE_LIMITED',
      `Upstream ${namespace} is limiting the rate of calls (HTTP 429). Try again later.`,
      { cause, retryAfterMs: retryAfterOf(cause) },
    );
  if (status === 404 || status === 502 || status === 503) return unavailable(namespace, cause);
  return failed(
    `Upstream ${namespace} answered with HTTP status ${status}. See the log of that server.`,
    cause,
  );
}

function classifySdkError(error: SdkError, namespace: string): Fault {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return timedOut(namespace, error);
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
    case SdkErrorCode.EraNegotiationFailed:
      return unavailable(namespace, error);
    case SdkErrorCode.UnsupportedResultType:
      return failed(
        `Upstream ${namespace} requested user input, which the gateway cannot forward. Use another tool.`,
        error,
      );
    default:
      return notMcp(namespace, error);
  }
}

function classifyText(thrown: unknown, namespace: string): Fault {
  const text = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : '';
  if (/\b(timed out|timeout|TimeoutError)\b/i.test(text)) return timedOut(namespace, thrown);
  if (/\b(unauthori[sz]ed|authentication (required|failed))\b/i.test(text))
    return authFailed(namespace, thrown);
  if (/\b((connection|socket) (closed|reset|refused|hang up)|not connected|fetch failed)\b/i.test(text)) {
    return unavailable(namespace, thrown);
  }
  return failed(`Upstream ${namespace} failed for an unknown reason. See the gateway's log.`, thrown);
}

function failed(message: string, cause: unknown): Fault {
  return new Fault('UPSTREAM_FAILURE', message, { cause });
}

function notMcp(namespace: string, cause: unknown): Fault {
  const message = `Upstream ${namespace} sent a response that is not MCP. Check that its address or command is an MCP server.`;
  return failed(message, cause);
}

function authFailed(namespace: string, cause: unknown): Fault {
  const message = `Upstream ${namespace} rejected the gateway's credentials. Set valid ones for this upstream.`;
  return new Fault('UPSTREAM_AUTH_FAILED', message, { cause });
}

function timedOut(namespace: string, cause: unknown): Fault {
  const message = `Upstream ${namespace} did not answer in time. A write may have been executed: check it before a new call.`;
  return new Fault('DEADLINE_EXCEEDED', message, { cause });
}

function unavailable(namespace: string, cause: unknown): Fault {
  const message = `Upstream ${namespace} is unreachable or closed the connection during the call. The gateway is reconnecting.`;
  return new Fault('UPSTREAM_UNAVAILABLE', message, { cause, retryAfterMs: retryAfterOf(cause) });
}

/** For a call that found no open connection. */
export function unreachable(namespace: string, retryAfterMs: number | undefined): Fault {
  return new Fault(
    'UPSTREAM_UNAVAILABLE',
    `Upstream ${namespace} is unreachable. The gateway is reconnecting; try again later.`,
    {
      effect: 'none',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
}

/** Whether no connection accepted the call, so that no byte of it was sent. */
export function wasNeverSent(thrown: unknown): boolean {
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.NotConnected) return true;
  return errnoOf(thrown) === 'ECONNREFUSED';
}

/** The HTTP status with which a server answered a request; undefined where the failure has none. */
export function httpStatusOf(thrown: unknown): number | undefined {
  for (const error of causes(thrown)) {
    if (error instanceof SdkHttpError) return error.status;
    if (error instanceof UnauthorizedError) return 401;
    if (error instanceof SseError) return error.code;
    // The SSE transport of the SDK has no error type for this, only this message.
    const posted =
      error instanceof Error ? /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message) : null;
    if (posted) return Number(posted[1]);
  }
  return undefined;
}

/** The delay that a server asked for with its refusal. */
function retryAfterOf(thrown: unknown): number | undefined {
  const { data } = [...causes(thrown)].find((error) => error instanceof SdkHttpError) ?? {};
  return typeof data?.retryAfterMs === 'number' ? data.retryAfterMs : undefined;
}

function errnoOf(thrown: unknown): string | undefined {
  for (const error of causes(thrown)) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string' && (UNREACHABLE.has(code) || TIMEOUTS.has(code))) return code;
  }
  return undefined;
}

/** Whether the SDK received a response that is not JSON-RPC. */
function isNotProtocol(thrown: unknown): boolean {
  for (const error of causes(thrown)) {
    if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent) return true;
    if (error instanceof Error && (error.name === 'SyntaxError' || error.name === 'ZodError')) return true;
  }
  return false;
}

function* causes(thrown: unknown): Generator<unknown> {
  let error = thrown;
  for (let depth = 0; error !== undefined && depth < 8; depth++) {
    yield error;
    error = error instanceof Error ? error.cause : undefined;
  }
}
