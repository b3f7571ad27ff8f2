import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Fault } from '../../contract/errors.ts';

/**
 * A foreign failure in the catalogue's words. Types, codes, statuses and errno decide; text is the last resort. What
 * the upstream or a library said goes to the log as the cause and never to the caller.
 */
export function classify(thrown: unknown, namespace: string): Fault {
  if (thrown instanceof Fault) return thrown;
  const status = httpStatusOf(thrown);
  if (status !== undefined) return byStatus(status, namespace, thrown);
  if (thrown instanceof UnauthorizedError) return authFailed(namespace, thrown);
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout) return timedOut(namespace, thrown);
    if (LOST.has(thrown.code)) return unavailable(namespace, thrown);
  }
  if (thrown instanceof ProtocolError) {
    return new Fault('UPSTREAM_FAILURE', `${namespace} refused the request (JSON-RPC ${thrown.code}).`, {
      cause: thrown,
    });
  }
  const errno = errnoOf(thrown);
  if (errno !== undefined) {
    return TIMEOUTS.has(errno) ? timedOut(namespace, thrown) : unavailable(namespace, thrown);
  }
  return byText(thrown, namespace);
}

const LOST = new Set<SdkErrorCode>([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
  SdkErrorCode.EraNegotiationFailed,
]);
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
    return new Fault('AUTHORIZATION_DENIED', `${namespace} denied the gateway access.`, { cause });
  if (status === 408 || status === 504) return timedOut(namespace, cause);
  if (status === 429)
    return new Fault('RATE_LIMITED', `${namespace} takes no more calls for now.`, { cause });
  if (status === 404 || status === 502 || status === 503) return unavailable(namespace, cause);
  return new Fault('UPSTREAM_FAILURE', `${namespace} answered with HTTP status ${status}.`, { cause });
}

function byText(thrown: unknown, namespace: string): Fault {
  const text = thrown instanceof Error ? thrown.message : '';
  if (/\b(timed out|timeout)\b/i.test(text)) return timedOut(namespace, thrown);
  if (/\b(unauthori[sz]ed|authentication (required|failed))\b/i.test(text))
    return authFailed(namespace, thrown);
  if (/\b(connection|socket) (closed|reset|refused|hang up)\b|\bfetch failed\b/i.test(text)) {
    return unavailable(namespace, thrown);
  }
  return new Fault('UPSTREAM_FAILURE', `${namespace} failed in a way that it does not explain.`, {
    cause: thrown,
  });
}

function authFailed(namespace: string, cause: unknown): Fault {
  return new Fault('UPSTREAM_AUTH_FAILED', `${namespace} refused the gateway's credentials.`, { cause });
}

function timedOut(namespace: string, cause: unknown): Fault {
  return new Fault('DEADLINE_EXCEEDED', `${namespace} did not answer in time.`, { cause });
}

export function unavailable(namespace: string, cause: unknown, retryAfterMs?: number): Fault {
  return new Fault('UPSTREAM_UNAVAILABLE', `${namespace} is not reachable, or went away during the call.`, {
    cause,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Whether the upstream cannot have acted on the call: the connection was refused, or the session unknown. */
export function wasNeverActedUpon(thrown: unknown, hadSession: boolean): boolean {
  if (errnoOf(thrown) === 'ECONNREFUSED') return true;
  const status = httpStatusOf(thrown);
  return hadSession && (status === 404 || status === 400);
}

/** Whether the line is gone, so that a new one must be made. */
export function isLineLost(fault: Fault): boolean {
  return fault.code === 'UPSTREAM_UNAVAILABLE';
}

function httpStatusOf(thrown: unknown): number | undefined {
  for (const error of causes(thrown)) if (error instanceof SdkHttpError) return error.status;
  return undefined;
}

function errnoOf(thrown: unknown): string | undefined {
  for (const error of causes(thrown)) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string' && (UNREACHABLE.has(code) || TIMEOUTS.has(code))) return code;
  }
  return undefined;
}

function* causes(thrown: unknown): Generator<unknown> {
  let error = thrown;
  for (let depth = 0; error !== undefined && depth < 8; depth++) {
    yield error;
    error = error instanceof Error ? error.cause : undefined;
  }
}
