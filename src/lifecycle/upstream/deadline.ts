import { Fault } from '../../contract/errors/fault.ts';
import type { RequestedCall } from '../states.ts';

export interface CallBounds {
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Fires when the caller goes away. */
  readonly signal: AbortSignal | undefined;
}

/**
 * What bounds a call: its deadline, and its caller. With a key it goes on where the caller's connection merely breaks, for
 * whoever asks again with that key gets the result; only a cancellation ends it.
 */
export function boundsOf({ deadline, record }: RequestedCall): CallBounds {
  const { idempotencyKey, signal, cancelled = signal } = record.request;
  return { deadline, signal: idempotencyKey === undefined ? signal : cancelled };
}

/**
 * Lets work run until the deadline and not a moment longer: the work is told by its signal, and the call goes on
 * without it when it does not listen.
 */
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

/** The same for work that cannot be told. */
export async function raceDeadline<Result>(
  { deadline, signal: callersSignal }: CallBounds,
  work: () => Promise<Result>,
  tell: (fault: Fault) => void = () => {},
): Promise<Result> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const end = (fault: Fault): void => {
    isOver = true;
    reject(fault);
    tell(fault);
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
    return await Promise.race([ended, isOver ? ended : work()]);
  } finally {
    clearTimeout(timer);
    callersSignal?.removeEventListener('abort', cancel);
  }
}

export function cancelledByCaller(): Fault {
  return new Fault('DEADLINE_EXCEEDED', 'The caller cancelled the call.', { variant: 'cancelled' });
}
