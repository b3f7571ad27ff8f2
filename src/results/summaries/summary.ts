import type { JsonObject } from '../../base/json/json.ts';

/** What stands in for a text that is too long to show. Rule-made: the same text always gives the same one. */
export interface Summary {
  /** Typed, few and small: for programs, and for what a model would otherwise have to count. */
  readonly facts: JsonObject;
  /** In about so many characters: what matters most is said first, and what has no room is left out. */
  text(room: number): string;
}
