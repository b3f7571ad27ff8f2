/** A description of the tools for a prompt, compiled for one objective within a token budget. */
export interface Affordances {
  readonly text: string;
  readonly tokens: number;
  readonly tokensLeft: number;
  /** How many visible tools the index names: all of them unless the budget is too small. */
  readonly indexed: number;
  /** Ids of the tools whose whole schema is in the text. */
  readonly schemas: readonly string[];
  /** Ids of the tools that have only a one-line reference in the text. */
  readonly references: readonly string[];
}
