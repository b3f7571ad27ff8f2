import type { ContentPart } from './tool-result.ts';

export interface Selection {
  readonly text: string;
  /** The total amounts, so that a reader knows how much it has not seen. */
  readonly totals: Readonly<Record<string, number>>;
  /** The selector of the next page; absent at the end. */
  readonly next?: Readonly<Record<string, unknown>>;
}

export type View =
  | { readonly kind: 'text'; readonly mediaType: string; readonly selection: Selection }
  | { readonly kind: 'binary'; readonly mediaType: string; readonly part: ContentPart };
