import { createRequire } from 'node:module';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';

interface Encoder {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
}

const require = createRequire(import.meta.url);
let encoder: Encoder | undefined;

// Byte-pair merging is quadratic in an unbroken run: one word of 200,000 letters takes most of a minute. Runs beyond
// this length, which no language has, are counted in pieces: a few tokens off for each. The looks behind make the search
// itself linear: a run is tried at its beginning only.
const ENDLESS_RUNS = /(?<!\p{L})\p{L}{257,}|(?<![^\s\p{L}\p{N}])[^\s\p{L}\p{N}]{257,}|(?<!\s)\s{257,}/gu;
const PIECE = /.{1,256}/gsu;
/** What looks like a control token in foreign text is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** The real cl100k_base encoder, loaded when the first count is asked for: most short calls never need one. */
export const countTokens: CountTokens = (text) => {
  const { countTokens: count } = loaded();
  let tokens = 0;
  let end = 0;
  for (const { 0: run, index } of text.matchAll(ENDLESS_RUNS)) {
    tokens += count(text.slice(end, index), AS_TEXT);
    for (const [piece] of run.matchAll(PIECE)) tokens += count(piece, AS_TEXT);
    end = index + run.length;
  }
  return tokens + count(text.slice(end), AS_TEXT);
};

/** Loading takes a tenth of a second, which a server should spend before its first call and not in it. */
export function warmUpTokenizer(): void {
  loaded();
}

function loaded(): Encoder {
  encoder ??= require('gpt-tokenizer/encoding/cl100k_base') as Encoder;
  return encoder;
}
