/** How one rule decided on a call, with a text for people who read the receipt. */
export interface Reason {
  readonly rule: string;
  readonly effect: 'allow' | 'deny' | 'ask' | 'not_evaluated';
  readonly text: string;
}

/** A condition of an allowed call that a later phase must fulfil. It is never dropped silently. */
export interface Obligation {
  readonly kind: string;
  readonly text: string;
}

export interface Decision {
  readonly effect: 'allow' | 'deny' | 'ask';
  readonly reasons: readonly Reason[];
  readonly obligations: readonly Obligation[];
}
