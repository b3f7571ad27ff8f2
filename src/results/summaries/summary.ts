import type { JsonObject } from '../../contract/json.ts';

/** What stands in for a text that is too long to show. Rule-made: the same text always gives the same one. */
export interface Summary {
  readonly text: string;
  readonly facts: JsonObject;
}
