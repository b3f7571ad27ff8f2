import type { Caller } from '../../contract/call/caller.ts';
import { CALL_KEYS } from '../../contract/call/meta-keys.ts';
import { type TraceContext, traceFrom } from '../../contract/call/trace.ts';
import { clientOfSession, readClientInfo } from './client-info.ts';

/** What a call carries besides its arguments. Unchecked, except for the caller's identity and trace. */
export interface CallContext {
  readonly caller: Caller;
  readonly sessionId: unknown;
  /** The idempotency key in `_meta`. */
  readonly metaKey: unknown;
  /** The idempotency key in its header, as Node decodes it. */
  readonly headerKey: string | undefined;
  readonly timeoutMs: unknown;
  /** Whether the request asks for the structured form of an answer in `structuredContent`. */
  readonly wantsStructured: boolean;
}

/** Reads a header by its lowercase name. */
export type ReadHeader = (name: string) => string | undefined;

/** Marks a client of the 2025 era, so that its cancellations can be matched with its calls. */
export const MCP_SESSION_HEADER = 'mcp-session-id';
export const PROTOCOL_VERSION_HEADER = 'mcp-protocol-version';
export const KEY_HEADER = 'idempotency-key';
const TIMEOUT_HEADER = 'toolgate-timeout-ms';
const SESSION_HEADER = 'toolgate-session';

/** Values in the message take precedence over the headers of its request. Idempotency keys must be the same in both. */
export function readCallContext(
  caller: Caller,
  meta: Readonly<Record<string, unknown>> | undefined,
  header: ReadHeader,
): CallContext {
  const timeout = header(TIMEOUT_HEADER);
  const transportSession = header(MCP_SESSION_HEADER);
  return {
    caller: {
      ...caller,
      client: readClientInfo(meta) ?? clientOfSession(transportSession) ?? caller.client,
      surface: 'gateway',
      trace: traceOf(caller, meta),
      ...(transportSession !== undefined && { transportSession }),
    },
    sessionId: meta?.[CALL_KEYS.session] ?? header(SESSION_HEADER),
    metaKey: meta?.[CALL_KEYS.idempotencyKey],
    headerKey: header(KEY_HEADER),
    timeoutMs: meta?.[CALL_KEYS.timeoutMs] ?? (timeout === undefined ? undefined : Number(timeout)),
    wantsStructured: meta?.[CALL_KEYS.structured] === true,
  };
}

function traceOf({ trace }: Caller, meta: Readonly<Record<string, unknown>> | undefined): TraceContext {
  return meta?.traceparent === undefined ? trace : traceFrom(meta.traceparent, meta.tracestate);
}
