import type { DryRunReport, Outcome } from '../contract/call/outcome.ts';

type Pending = Extract<Outcome, { status: 'pending' }>['ticket'];

/** A call that ends early and well: it waits for a person, or it was only a rehearsal. */
export class EarlyOutcome extends Error {
  override readonly name = 'Ended';
  readonly ending:
    | { readonly status: 'pending'; readonly ticket: Pending }
    | { readonly status: 'dry_run'; readonly report: DryRunReport };

  constructor(ending: EarlyOutcome['ending']) {
    super(ending.status);
    this.ending = ending;
  }
}
