/** One rule's word on a call, in a sentence that a person can read in a receipt. */
export interface Reason {
  readonly rule: string;
  readonly effect: 'allow' | 'deny' | 'ask' | 'not_evaluated';
  readonly text: string;
}

/** What must still be done for an allowed call: told to later phases, never dropped silently. */
export interface Obligation {
  readonly kind: string;
  readonly text: string;
}

export interface Decision {
  readonly effect: 'allow' | 'deny' | 'ask';
  readonly reasons: readonly Reason[];
  readonly obligations: readonly Obligation[];
}
