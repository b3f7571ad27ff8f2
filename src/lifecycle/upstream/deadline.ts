import { settleAs } from '../../base/async/settle.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { RequestedCall } from '../states.ts';

const MAX_REASON_LENGTH = 200;

export interface CallBounds {
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Fires when the caller disconnects or cancels. */
  readonly signal: AbortSignal | undefined;
}

/**
 * What ends a call: its deadline and its caller. A keyed call outlives a broken connection, because a later call with the
 * key gets its result; only a cancellation ends it.
 */
export function boundsOf({ deadline, handles, effectKey }: RequestedCall): CallBounds {
  const { signal, cancelled = signal } = handles;
  return { deadline, signal: effectKey === undefined ? signal : cancelled };
}

/** Runs work until the deadline. Then its signal fires, and the call ends even if the work ignores the signal. */
export function withDeadline<Result>(
  bounds: CallBounds,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  return raceDeadline(
    bounds,
    () => work(controller.signal),
    (fault) => controller.abort(fault),
  );
}

/** The same for work that takes no signal. */
export function raceDeadline<Result>(
  { deadline, signal: callerSignal }: CallBounds,
  work: () => Promise<Result>,
  abort: (fault: Fault) => void = () => {},
): Promise<Result> {
  const raced = Promise.withResolvers<Result>();
  const release = (): void => {
    clearTimeout(timer);
    callerSignal?.removeEventListener('abort', cancel);
  };
  const end = (fault: Fault): void => {
    release();
    raced.reject(fault);
    abort(fault);
  };
  const cancel = (): void => end(cancelledBy(callerSignal!));
  const expire = (): void =>
    end(new Fault('DEADLINE_EXCEEDED', 'The tool did not answer before the deadline.'));
  const left = deadline - Date.now();
  let timer: NodeJS.Timeout | undefined;
  // Work must not start after the deadline: it could still have an effect.
  if (callerSignal?.aborted) cancel();
  else if (left <= 0) expire();
  else {
    timer = setTimeout(expire, left);
    callerSignal?.addEventListener('abort', cancel, { once: true });
    settleAs(raced, work(), release);
  }
  return raced.promise;
}

/** The fault of a call whose signal has fired: that of the gateway where it stopped the call, else a cancellation. */
export function cancelledBy({ reason }: AbortSignal): Fault {
  if (reason instanceof Fault) return reason;
  return new Fault('CANCELLED', 'The caller cancelled the call.', {
    // The caller's own reason, for the upstream.
    details: typeof reason === 'string' ? { reason: plainLine(reason, MAX_REASON_LENGTH) } : undefined,
  });
}
