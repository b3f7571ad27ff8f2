import type { Selection } from '../../contract/call/view.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

/** A selector's parameters, already known to be an object; each selector checks its own. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface Selector {
  readonly parameters: readonly string[];
  /** In at most `room` characters: how many tokens they are depends on the script that they are written in. */
  select(artifact: Artifact, parameters: Parameters, room: number): Selection;
}

/** The longest text of a view; English has two thousand tokens in it. */
export const MAX_VIEW_LENGTH = 8_000;
