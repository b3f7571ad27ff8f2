/** The exact number of cl100k_base tokens. An implementation is pure, accepts every string and never estimates. */
export type CountTokens = (text: string) => number;
