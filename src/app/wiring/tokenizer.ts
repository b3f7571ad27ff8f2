import { createRequire } from 'node:module';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';

interface Encoder {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
}

const require = createRequire(import.meta.url);
let encoder: Encoder | undefined;

// Byte-pair merging is quadratic in an unbroken run: 200,000 letters without a space take most of a minute. Longer runs,
// which no language has, are counted in pieces, with an error of a few tokens each. The lookbehinds keep the search
// linear: a match can start only at the beginning of a run.
const LONG_RUNS = /(?<!\p{L})\p{L}{257,}|(?<![^\s\p{L}\p{N}])[^\s\p{L}\p{N}]{257,}|(?<!\s)\s{257,}/gu;
const PIECE = /.{1,256}/gsu;
/** Control tokens in upstream text are counted as plain text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Counts cl100k_base tokens. The encoder is loaded at the first count, because most short calls never need it. */
export const countTokens: CountTokens = (text) => {
  const { countTokens: count } = loadEncoder();
  let tokens = 0;
  let end = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUNS)) {
    tokens += count(text.slice(end, index), AS_TEXT);
    for (const [piece] of run.matchAll(PIECE)) tokens += count(piece, AS_TEXT);
    end = index + run.length;
  }
  return tokens + count(text.slice(end), AS_TEXT);
};

/** Loading takes about 100 ms, which a server must spend before its first call. */
export function warmUpTokenizer(): void {
  loadEncoder();
}

function loadEncoder(): Encoder {
  encoder ??= require('gpt-tokenizer/encoding/cl100k_base') as Encoder;
  return encoder;
}
