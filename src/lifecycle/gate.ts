import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { ReceiptStore } from '../contract/ports/receipts.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import type { Question, Rule } from '../governance/rule.ts';
import type { Firewall } from '../results/firewall.ts';
import type { CallEvents } from './events.ts';

/** Everything that a call meets on its way, plugged together in one place. */
export interface Gate {
  readonly catalog: { readonly snapshot: CatalogSnapshot };
  readonly maySee: (question: Question) => boolean;
  readonly rules: readonly Rule[];
  readonly upstream: (namespace: string) => Upstream | undefined;
  readonly firewall: Firewall;
  readonly receipts: ReceiptStore;
  readonly events: CallEvents;
}
