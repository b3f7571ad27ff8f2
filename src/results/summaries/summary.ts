import type { JsonObject } from '../../base/json/json.ts';

/** Replaces a content that is too long to show. Made by fixed rules: the same content always gives the same summary. */
export interface Summary {
  /** A few small typed values, for programs and for what a model would otherwise have to count. */
  readonly facts: JsonObject;
  /** The text in about `maxLength` characters: the most important lines first, the others left out. */
  text(maxLength: number): string;
}
