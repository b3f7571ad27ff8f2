import { CALL_KEYS } from '../../contract/call/meta-keys.ts';
import { type TraceContext, traceFrom } from '../../contract/call/trace.ts';

/** What comes along with a call and is no argument of it. Still unchecked, but for the trace. */
export interface CallContext {
  readonly trace: TraceContext;
  readonly sessionId: unknown;
  readonly idempotencyKey: unknown;
  readonly timeoutMs: unknown;
}

/** By its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

const KEY_HEADER = 'idempotency-key';
const TIMEOUT_HEADER = 'toolgate-timeout-ms';
const SESSION_HEADER = 'toolgate-session';

/** From the message itself where it says so, else from the headers of the request that brought it. */
export function readCallContext(
  meta: Readonly<Record<string, unknown>> | undefined,
  header: ReadHeader,
): CallContext {
  const timeout = header(TIMEOUT_HEADER);
  const traced = meta?.traceparent === undefined ? header : (name: string): unknown => meta[name];
  return {
    trace: traceFrom(traced('traceparent'), traced('tracestate')),
    sessionId: meta?.[CALL_KEYS.session] ?? header(SESSION_HEADER),
    idempotencyKey: meta?.[CALL_KEYS.idempotencyKey] ?? header(KEY_HEADER),
    timeoutMs: meta?.[CALL_KEYS.timeoutMs] ?? (timeout === undefined ? undefined : Number(timeout)),
  };
}
