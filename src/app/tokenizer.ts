import { createRequire } from 'node:module';
import type { CountTokens } from '../contract/ports/count-tokens.ts';

interface Encoder {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
}

const require = createRequire(import.meta.url);
let encoder: Encoder | undefined;

// Byte-pair merging is quadratic in an unbroken run: one word of 200,000 letters takes most of a minute. Runs beyond
// this length, which no language has, are counted in pieces: at most one token too many for each.
const ENDLESS_RUN = /\p{L}{257,}|[^\s\p{L}\p{N}]{257,}|\s{257,}/u;
const PIECES = /\p{L}{1,256}|[^\s\p{L}\p{N}]{1,256}|\s{1,256}|\p{N}+/gu;
/** What looks like a control token in foreign text is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** The real cl100k_base encoder, loaded when the first count is asked for: most short calls never need one. */
export const countTokens: CountTokens = (text) => {
  encoder ??= require('gpt-tokenizer/encoding/cl100k_base') as Encoder;
  if (!ENDLESS_RUN.test(text)) return encoder.countTokens(text, AS_TEXT);
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += encoder.countTokens(piece, AS_TEXT);
  return tokens;
};
