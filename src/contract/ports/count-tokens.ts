/** Exact cl100k_base tokens. An implementation is pure, total on every string, and never guesses. */
export type CountTokens = (text: string) => number;
