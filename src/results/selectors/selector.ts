import type { Artifact } from '../../contract/ports/artifact-store.ts';

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
  /** In at most `room` characters: how many tokens they are depends on the script that they are written in. */
  select(artifact: Artifact, parameters: Parameters, room: number): Selection;
}

/** The longest text of a view; English has two thousand tokens in it. */
export const MAX_VIEW_LENGTH = 8_000;
