import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Arrival } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import type { ClaimStore } from '../contract/ports/idempotency-store.ts';
import type { ReceiptStore } from '../contract/ports/receipt-store.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import type { Quota } from '../governance/quota.ts';
import type { Question, Rule } from '../governance/rule.ts';
import type { Firewall } from '../results/firewall.ts';
import type { CallEvents } from './events.ts';
import type { ResultCache } from './upstream/result-cache.ts';
import type { RetryPolicy } from './upstream/retry.ts';
import type { UpstreamGuard } from './upstream/upstream-guard.ts';

/** Everything that a call meets on its way, plugged together in one place. */
export interface Gate {
  readonly catalog: { readonly snapshot: CatalogSnapshot };
  readonly maySee: (question: Question) => boolean;
  readonly rules: readonly Rule[];
  /** Present where an operator set limits. */
  readonly quota?: Quota | undefined;
  readonly upstream: (namespace: string) => Upstream | undefined;
  /** The whole road again, for checks that need another tool. */
  readonly call: (gate: Gate, arrival: Arrival) => Promise<Outcome>;
  readonly firewall: Firewall;
  readonly receipts: ReceiptStore;
  readonly claims: ClaimStore;
  /** What a call gets whose key another one holds: it waits for that one, or is told to come again. */
  readonly whileRunning: 'wait' | 'conflict';
  readonly retry: RetryPolicy;
  readonly guard: (namespace: string) => UpstreamGuard;
  /** Present where an operator asked for one. */
  readonly cache?: ResultCache | undefined;
  readonly events: CallEvents;
}
