import type { Selection } from '../../contract/call/view.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

/** A selector's parameters, already known to be an object. Each selector validates its own. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface Selector {
  readonly parameters: readonly string[];
  /** Returns at most `maxLength` characters. The token count depends on the script, so the caller checks it. */
  select(artifact: Artifact, parameters: Parameters, maxLength: number): Selection;
}

/** The longest text of a view (characters), about two thousand tokens of English. */
export const MAX_VIEW_LENGTH = 8_000;
