import { Fault } from '../contract/errors.ts';
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
      const { callId, traceId, principalId, requested, toolId, status, errorCode, phase, durationMs } =
        event.receipt;
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
      if (status !== 'failed') return log.info(fields, 'call ended');
      const err = privateCause(event.cause);
      const level = errorCode === 'INTERNAL_TOOL_ERROR' ? 'error' : 'warn';
      log[level]({ ...fields, ...(err !== undefined && { err }) }, 'call failed');
    }
  };
}

/** A refusal is told by its code, and its stack shows only where we refused; what lies behind it is the news. */
function privateCause(thrown: unknown): unknown {
  return thrown instanceof Fault ? thrown.cause : thrown;
}
