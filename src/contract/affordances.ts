/** What a prompt says of the tools, compiled for one objective under a budget of tokens. */
export interface Affordances {
  readonly text: string;
  readonly tokens: number;
  readonly tokensLeft: number;
  /** How many of the visible tools the index names; fewer than all only where the budget is too small for that. */
  readonly indexed: number;
  /** Ids whose whole schema is in the text, and ids that are only referred to. */
  readonly schemas: readonly string[];
  readonly references: readonly string[];
}
