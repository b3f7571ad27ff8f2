import { Fault } from '../contract/errors/fault.ts';
import type { CallListener } from '../lifecycle/events.ts';
import { safeError } from './safe-error.ts';

/** The methods of a logger that the call log uses. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Logs one line for every call that ended, without arguments and results. The private cause of a failure is logged by type,
 * code and stack; its message, which may quote arguments, is logged at the level `debug` only.
 */
export function logCalls(log: Log): CallListener {
  return (event) => {
    if (event.type === 'trouble') {
      log.error({ callId: event.callId, err: safeError(event.cause) }, event.what);
      log.debug({ callId: event.callId, err: event.cause }, 'error cause');
    } else if (event.type === 'violation') {
      log.error({ callId: event.callId, toolId: event.toolId, what: event.what }, 'contract violation');
    } else if (event.type === 'retried') {
      const { callId, attempt, code } = event;
      log.info({ callId, attempt, errorCode: code }, 'call retried');
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
      log.debug({ callId, traceId, err: cause }, 'error cause');
    }
  };
}

/** The error code describes a fault, and its stack shows only where the gateway raised it. Only its cause adds information. */
function privateCause(thrown: unknown): unknown {
  return thrown instanceof Fault ? thrown.cause : thrown;
}
