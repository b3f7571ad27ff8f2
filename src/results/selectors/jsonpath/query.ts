/** A JSONPath query (RFC 9535), parsed and checked: what the walk over a document follows. */
export interface Query {
  readonly segments: readonly Segment[];
}

export interface Segment {
  /** `..`: of everything below too. */
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

/** A node of a document, with the way to it. */
export interface Place {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/** What a filter may ask while a walk is under way. Every step is paid for. */
export interface Walk {
  readonly root: unknown;
  /** Throws when the walk has taken too long. */
  pay(units: number): void;
  /** Follows a query; ends early once `visit` says that it has seen enough. */
  follow(query: Query, from: unknown, visit: (place: Place) => boolean): void;
}

export type Test = (current: unknown, walk: Walk) => boolean;
/** A value of a filter, or NOTHING. */
export type Operand = (current: unknown, walk: Walk) => unknown;

/** The special result of RFC 9535, section 2.4.1: distinct from null. */
export const NOTHING: unique symbol = Symbol('nothing');
