import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import type { IdempotencyStore } from '../contract/ports/idempotency-store.ts';
import type { ReceiptStore } from '../contract/ports/receipt-store.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import type { Quota } from '../governance/quota.ts';
import type { DecisionRequest, Rule } from '../governance/rule.ts';
import type { Firewall } from '../results/firewall.ts';
import type { CallEvents } from './events.ts';
import type { ResultCache } from './upstream/result-cache.ts';
import type { RetryPolicy } from './upstream/retry-policy.ts';
import type { UpstreamGuard } from './upstream/upstream-guard.ts';

/** Everything that a call meets on its way, plugged together in one place. */
export interface CallDependencies {
  readonly catalog: { readonly snapshot: CatalogSnapshot };
  readonly maySee: (question: DecisionRequest) => boolean;
  readonly rules: readonly Rule[];
  /** Present where an operator set limits. */
  readonly quota?: Quota | undefined;
  readonly upstream: (namespace: string) => Upstream | undefined;
  /** The whole road again, for checks that need another tool. */
  readonly call: (deps: CallDependencies, arrival: CallRequest) => Promise<Outcome>;
  readonly firewall: Firewall;
  readonly receipts: ReceiptStore;
  readonly idempotency: IdempotencyStore;
  /** What a call gets whose key another one holds: it waits for that one, or is told to come again. */
  readonly onInFlight: 'wait' | 'conflict';
  readonly retry: RetryPolicy;
  readonly guard: (namespace: string) => UpstreamGuard;
  /** Present where an operator asked for one. */
  readonly cache?: ResultCache | undefined;
  readonly events: CallEvents;
}
