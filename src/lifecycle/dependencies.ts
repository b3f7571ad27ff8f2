import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { IdempotencyStore } from '../contract/ports/idempotency-store.ts';
import type { ReceiptLog } from '../contract/ports/receipt-log.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import type { ToolUse } from '../contract/tool/verification.ts';
import type { Policy } from '../governance/policy.ts';
import type { Quota } from '../governance/quota.ts';
import type { Firewall } from '../results/firewall.ts';
import type { CallEvents } from './events.ts';
import type { AuthorizedCall, InternalCallResult } from './states.ts';
import type { ResultCache } from './upstream/result-cache.ts';
import type { RetryPolicy } from './upstream/retry-policy.ts';
import type { UpstreamGuard } from './upstream/upstream-guard.ts';
import type { Known } from './verification/bindings.ts';

/** Everything that the phases of a call use. `app/gateway.ts` puts it together. */
export interface CallDependencies {
  readonly catalog: { readonly snapshot: CatalogSnapshot };
  readonly policy: Policy;
  /** Present where an operator set limits. */
  readonly quota?: Quota | undefined;
  readonly upstream: (namespace: string) => Upstream | undefined;
  readonly internalCalls: InternalCalls;
  readonly firewall: Firewall;
  readonly receipts: ReceiptLog;
  /** Refuse a write whose intent cannot be recorded in the receipt log first. */
  readonly failClosed: boolean;
  readonly idempotency: IdempotencyStore;
  /** What a call gets whose key another call holds: it waits for that call's result, or is refused as CONFLICT. */
  readonly onInFlight: 'wait' | 'conflict';
  readonly retry: RetryPolicy;
  readonly guard: (namespace: string) => UpstreamGuard;
  /** Present where an operator enabled it. */
  readonly cache?: ResultCache | undefined;
  readonly events: CallEvents;
}

/** Another tool, called on behalf of a call in flight. */
export interface InternalCall {
  readonly call: AuthorizedCall;
  readonly use: ToolUse;
  /** What the arguments of the tool are bound to. */
  readonly known: Known;
}

/**
 * Calls that the gateway makes itself. They pass all six phases with the authority of the caller and never more, and leave
 * their own receipts. Limits do not count them, and the cache never answers them.
 */
export interface InternalCalls {
  /**
   * Reads the state of the target system with a read-only tool, before the deadline of the call. It goes on when the caller
   * disconnects: a later call with the same key gets the finding.
   */
  readBack(deps: CallDependencies, internal: InternalCall): Promise<InternalCallResult>;
  /** Undoes an effect once, with the whole timeout of the compensating tool: the effect outlives the caller's deadline. */
  compensate(deps: CallDependencies, internal: InternalCall): Promise<InternalCallResult>;
}
