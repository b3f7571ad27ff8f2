import { type Effect, Fault } from '../contract/errors/fault.ts';

/** The store failed before anything was sent: a passing failure of the gateway. The key makes it safe to send the call again. */
export function storeUnavailable(cause: unknown, { hasKey, effect }: StoreFailure): Fault {
  const message = `The store of the gateway is not available, so this call was not sent. Send it again later${hasKey ? ' with the same idempotency key' : ''}.`;
  return new Fault('UPSTREAM_UNAVAILABLE', message, { variant: 'store', effect, cause });
}

export interface StoreFailure {
  readonly hasKey: boolean;
  /** `unknown` where an earlier call with the same key may have had the effect. */
  readonly effect: Effect;
}
