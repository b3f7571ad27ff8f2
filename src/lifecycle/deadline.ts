import { Fault } from '../contract/errors.ts';
import type { RequestedCall } from './request.ts';

export interface Bounds {
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Fires when the caller goes away. */
  readonly signal: AbortSignal | undefined;
}

/**
 * What bounds a call: its deadline, and its caller. With a key it goes on where the caller's connection merely breaks, for
 * whoever asks again with that key gets the result; only a cancellation ends it.
 */
export function boundsOf({ deadline, journey }: RequestedCall): Bounds {
  const { idempotencyKey, signal, cancelled = signal } = journey.arrival;
  return { deadline, signal: idempotencyKey === undefined ? signal : cancelled };
}

/**
 * Lets work run until the deadline and not a moment longer: the work is told by its signal, and the call goes on
 * without it when it does not listen.
 */
export async function withinDeadline<Result>(
  { deadline, signal: callersSignal }: Bounds,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (fault: Fault): void => {
    reject(fault);
    controller.abort(fault);
  };
  const cancel = (): void => end(cancelledByCaller());
  const expire = (): void =>
    end(new Fault('DEADLINE_EXCEEDED', 'The tool did not answer before the deadline.'));
  // What is late already must not begin: it could still act on the world.
  if (callersSignal?.aborted) cancel();
  else if (deadline <= Date.now()) expire();
  callersSignal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(expire, Math.max(deadline - Date.now(), 0));
  try {
    return await Promise.race([ended, controller.signal.aborted ? ended : work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    callersSignal?.removeEventListener('abort', cancel);
  }
}

export function cancelledByCaller(): Fault {
  return new Fault('DEADLINE_EXCEEDED', 'The caller cancelled the call.', { variant: 'cancelled' });
}
