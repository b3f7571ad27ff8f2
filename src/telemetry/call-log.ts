import { Fault } from '../contract/errors/fault.ts';
import type { CallListener } from '../lifecycle/events.ts';
import { safeError } from './safe-error.ts';

/** The part of a logger that is needed here. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * One line for every call that ended: what it was and how it went, never what was said. The private cause of a failure is
 * told by its type, code and place; its words, which may quote anybody, are for those who ask for the level `debug`.
 */
export function logCalls(log: Log): CallListener {
  return (event) => {
    if (event.type === 'trouble') {
      log.error({ callId: event.callId, err: safeError(event.cause) }, event.what);
      log.debug({ callId: event.callId, err: event.cause }, 'the words of the cause');
    } else if (event.type === 'violation') {
      log.error({ callId: event.callId, toolId: event.toolId, what: event.what }, 'contract broken');
    } else if (event.type === 'retried') {
      const { callId, attempt, code } = event;
      log.info({ callId, attempt, errorCode: code }, 'call tried again');
    } else if (event.type === 'ended') {
      const { callId, traceId, principalId, surface, requested, toolId, status, errorCode } = event.receipt;
      const { phase, durationMs, source, attempts } = event.receipt;
      const fields = {
        callId,
        traceId,
        principalId,
        surface,
        requested,
        toolId,
        status,
        errorCode,
        phase,
        durationMs,
        source,
        attempts,
      };
      if (status !== 'failed') return log.info(fields, 'call ended');
      const cause = privateCause(event.cause);
      const level = errorCode === 'INTERNAL_TOOL_ERROR' ? 'error' : 'warn';
      if (cause === undefined) return log[level](fields, 'call failed');
      log[level]({ ...fields, err: safeError(cause) }, 'call failed');
      log.debug({ callId, traceId, err: cause }, 'the words of the cause');
    }
  };
}

/** A refusal is told by its code, and its stack shows only where we refused; what lies behind it is the news. */
function privateCause(thrown: unknown): unknown {
  return thrown instanceof Fault ? thrown.cause : thrown;
}
