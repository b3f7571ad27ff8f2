import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Fault } from '../../contract/errors/fault.ts';

/**
 * A foreign failure in the catalogue's words. Types, codes, statuses and errno decide; text is the last resort. What
 * the upstream or a library said goes to the log as the cause and never to the caller.
 */
export function classify(thrown: unknown, namespace: string): Fault {
  if (thrown instanceof Fault) return thrown;
  const status = httpStatusOf(thrown);
  if (status !== undefined) return byStatus(status, namespace, thrown);
  if (thrown instanceof UnauthorizedError) return authFailed(namespace, thrown);
  if (thrown instanceof ProtocolError) {
    const message = `${namespace} refused the request (JSON-RPC ${thrown.code}).`;
    return new Fault('UPSTREAM_FAILURE', message, { cause: thrown, effect: effectOf(thrown.code) });
  }
  const errno = errnoOf(thrown);
  if (errno !== undefined) {
    return TIMEOUTS.has(errno) ? timedOut(namespace, thrown) : unavailable(namespace, thrown);
  }
  if (isNotProtocol(thrown)) return failed(`${namespace} answered with something that is not MCP.`, thrown);
  if (thrown instanceof SdkError) return byCode(thrown, namespace);
  return byText(thrown, namespace);
}

/**
 * A method that the server does not have cannot have acted. «Invalid params» is no such word: SDKs also say it of the
 * output of a tool that ran.
 */
function effectOf(code: number): 'none' | undefined {
  return code === METHOD_NOT_FOUND ? 'none' : undefined;
}

const METHOD_NOT_FOUND = -32_601;
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

function byStatus(status: number, namespace: string, cause: unknown): Fault {
  if (status === 401) return authFailed(namespace, cause);
  if (status === 403)
    return new Fault('AUTHORIZATION_DENIED', `${namespace} denied the gateway access.`, {
      cause,
      effect: 'none',
    });
  if (status === 408 || status === 504) return timedOut(namespace, cause);
  if (status === 429)
    return new Fault('RATE_LIMITED', `${namespace} takes no more calls for now.`, {
      cause,
      effect: 'none',
    });
  if (status === 404 || status === 502 || status === 503) return unavailable(namespace, cause);
  return failed(`${namespace} answered with HTTP status ${status}.`, cause);
}

function byCode(error: SdkError, namespace: string): Fault {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return timedOut(namespace, error);
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
    case SdkErrorCode.EraNegotiationFailed:
      return unavailable(namespace, error);
    case SdkErrorCode.UnsupportedResultType:
      return failed(`${namespace} asks for input that the gateway cannot pass on.`, error);
    default:
      return failed(`${namespace} answered with something that is not MCP.`, error);
  }
}

function byText(thrown: unknown, namespace: string): Fault {
  const text = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : '';
  if (/\b(timed out|timeout|TimeoutError)\b/i.test(text)) return timedOut(namespace, thrown);
  if (/\b(unauthori[sz]ed|authentication (required|failed))\b/i.test(text))
    return authFailed(namespace, thrown);
  if (/\b((connection|socket) (closed|reset|refused|hang up)|not connected|fetch failed)\b/i.test(text)) {
    return unavailable(namespace, thrown);
  }
  return failed(`${namespace} failed in a way that it does not explain.`, thrown);
}

function failed(message: string, cause: unknown): Fault {
  return new Fault('UPSTREAM_FAILURE', message, { cause });
}

function authFailed(namespace: string, cause: unknown): Fault {
  const message = `${namespace} refused the gateway's credentials.`;
  return new Fault('UPSTREAM_AUTH_FAILED', message, { cause, effect: 'none' });
}

function timedOut(namespace: string, cause: unknown): Fault {
  return new Fault('DEADLINE_EXCEEDED', `${namespace} did not answer in time.`, { cause });
}

function unavailable(namespace: string, cause: unknown): Fault {
  return new Fault('UPSTREAM_UNAVAILABLE', `${namespace} is not reachable, or went away during the call.`, {
    cause,
  });
}

/** There is no line to send a call on. */
export function unreachable(namespace: string, retryAfterMs: number | undefined): Fault {
  return new Fault('UPSTREAM_UNAVAILABLE', `${namespace} is not reachable.`, {
    effect: 'none',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Whether the upstream cannot have acted on the call: no connection took it, or the session was unknown. */
export function wasNotDelivered(thrown: unknown, hadSession: boolean): boolean {
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.NotConnected) return true;
  return errnoOf(thrown) === 'ECONNREFUSED' || (hadSession && isSessionUnknown(thrown));
}

/** The protocol says 404; servers in the field also say 400, which has other meanings, so their words must decide. */
function isSessionUnknown(thrown: unknown): boolean {
  const status = httpStatusOf(thrown);
  if (status !== 400) return status === 404;
  const said = thrown instanceof SdkHttpError ? thrown.data.text : undefined;
  return typeof said === 'string' && /\bsession\b|\bnot initialized\b/i.test(said);
}

function httpStatusOf(thrown: unknown): number | undefined {
  for (const error of causes(thrown)) {
    if (error instanceof SdkHttpError) return error.status;
    if (error instanceof SseError) return error.code;
    // The oldest transport has no type for this, only these words of the SDK's own.
    const posted =
      error instanceof Error ? /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message) : null;
    if (posted) return Number(posted[1]);
  }
  return undefined;
}

function errnoOf(thrown: unknown): string | undefined {
  for (const error of causes(thrown)) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string' && (UNREACHABLE.has(code) || TIMEOUTS.has(code))) return code;
  }
  return undefined;
}

/** What the SDK throws for an answer that came, and was no JSON-RPC. */
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
