import type { Artifact } from '../../contract/ports/artifacts.ts';

/** A selector's parameters, already known to be an object; each selector checks its own. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface Selection {
  readonly text: string;
  /** How much there is in all, so that a reader knows what it did not see. */
  readonly totals: Readonly<Record<string, number>>;
  /** The selector of the next page; absent at the end. */
  readonly next?: Readonly<Record<string, unknown>>;
}

export interface Selector {
  readonly parameters: readonly string[];
  select(artifact: Artifact, parameters: Parameters): Selection;
}

/** About two thousand tokens: a view must not flood what the firewall kept dry. */
export const MAX_VIEW_LENGTH = 8_000;
