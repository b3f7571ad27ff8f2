/** A parsed and checked JSONPath query (RFC 9535). */
export interface Query {
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** `..`: applies to all descendants too. */
  readonly descends: boolean;
  readonly selectors: readonly PathSelector[];
}

export type PathSelector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'slice';
      readonly start: number | undefined;
      readonly stop: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'filter'; readonly test: Test };

/** A node of a document: its value, and its location as a chain of parents. */
export interface PathNode {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: PathNode | undefined;
}

/** What a filter may use during a walk. Every step is charged to the CPU budget. */
export interface Walk {
  readonly root: unknown;
  /** Throws when the CPU budget is spent. */
  spend(units: number): void;
  /** Follows a query. Ends early when `visit` returns true. */
  follow(query: Query, from: unknown, visit: (node: PathNode) => boolean): void;
}

export type Test = (current: unknown, walk: Walk) => boolean;
/** Evaluates to a value of a filter, or to NOTHING. */
export type Operand = (current: unknown, walk: Walk) => unknown;

/** The special result Nothing of RFC 9535, section 2.4.1: distinct from null. */
export const NOTHING: unique symbol = Symbol('nothing');
