import type { CallListener } from '../lifecycle/events.ts';

/** The part of a logger that is needed here. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One line for every call that ended, with the private cause where there is one. */
export function logCalls(log: Log): CallListener {
  return (event) => {
    if (event.type === 'trouble') {
      log.error({ callId: event.callId, err: event.cause }, event.what);
    } else if (event.type === 'ended') {
      const { receipt, cause } = event;
      const { callId, traceId, principalId, requested, toolId, status, errorCode, phase, durationMs } =
        receipt;
      const fields = {
        callId,
        traceId,
        principalId,
        requested,
        toolId,
        status,
        errorCode,
        phase,
        durationMs,
      };
      if (errorCode === 'INTERNAL_TOOL_ERROR') log.error({ ...fields, err: cause }, 'call failed');
      else if (status === 'failed')
        log.warn({ ...fields, ...(cause !== undefined && { err: cause }) }, 'call failed');
      else log.info(fields, 'call ended');
    }
  };
}
