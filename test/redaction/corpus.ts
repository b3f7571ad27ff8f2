import { readdirSync, readFileSync } from 'node:fs';

/**
 * The labelled corpus. A case is a line `=== rule` (or `=== none`, or `=== rule+rule` in the order of the secrets) and
 * the text below it. «…» encloses exactly the text to redact. The files contain no complete key, so that secret scanners
 * of code hosts accept them: `{A36}` stands for 36 random characters from a fixed seed.
 */
export interface LabelledSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

export interface Case {
  readonly file: string;
  readonly text: string;
  readonly secrets: readonly LabelledSpan[];
}

/** Redacts a text by its labels. */
export function redactByLabels({ text, secrets }: Case): string {
  return secrets.reduceRight(
    (rest, { start, end, rule }) => `${rest.slice(0, start)}[redacted:${rule}]${rest.slice(end)}`,
    text,
  );
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  A: UPPER + LOWER + DIGITS,
  B: `${UPPER}${LOWER}${DIGITS}+/`,
  C: UPPER + LOWER,
  D: DIGITS,
  H: `${DIGITS}abcdef`,
  L: LOWER + DIGITS,
  R: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
  U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  W: `${UPPER}${LOWER}${DIGITS}_-`,
  X: `${DIGITS}ABCDEF`,
};

type Random = (limit: number) => number;

/** Mulberry32: small, seeded, and random enough for the bodies of tokens. */
function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** The first and the last character are not punctuation, which would make the bounds of the token ambiguous. */
function generate(random: Random, alphabet: string, length: number): string {
  const characters = Array.from({ length }, () => alphabet[random(alphabet.length)]!);
  for (const end of [0, length - 1]) if (/[-_+/]/.test(characters[end] ?? '')) characters[end] = 'q';
  return characters.join('');
}

const base64url = (value: string): string => Buffer.from(value).toString('base64url');

const TOKENS: Readonly<Record<string, (random: Random) => string>> = {
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => generate(random, ALPHABETS.H!, length)).join('-'),
  jwt: (random) =>
    [
      base64url('{"alg":"HS256","typ":"JWT"}'),
      base64url(`{"sub":"${generate(random, DIGITS, 10)}","iat":1767225600}`),
      generate(random, ALPHABETS.W!, 43),
    ].join('.'),
  'jwt:none': (random) =>
    `${base64url('{"alg":"none"}')}.${base64url(`{"sub":"${generate(random, DIGITS, 10)}"}`)}.`,
  jwe: (random) =>
    [
      base64url('{"alg":"RSA-OAEP","enc":"A256GCM"}'),
      ...[86, 16, 64, 22].map((length) => generate(random, ALPHABETS.W!, length)),
    ].join('.'),
  basic: (random) => Buffer.from(`user:${generate(random, ALPHABETS.A!, 12)}`).toString('base64'),
  discord: (random) =>
    `${base64url(`1${generate(random, DIGITS, 17)}`)}.${generate(random, ALPHABETS.A!, 6)}.${generate(random, ALPHABETS.W!, 38)}`,
};

function fillTemplate(template: string, random: Random): string {
  return template.replace(
    /\{(?:([ABCDHLRUWX])(\d+)|([a-z]+(?::[a-z]+)?))\}/g,
    (all, alphabet, length, token) => {
      if (alphabet !== undefined) return generate(random, ALPHABETS[alphabet]!, Number(length));
      return TOKENS[token]?.(random) ?? all;
    },
  );
}

function parseCase(file: string, block: string, seed: number): Case {
  const [heading, ...lines] = block.split('\n');
  const rules = heading!.trim().split('+');
  const pieces = fillTemplate(lines.join('\n').trimEnd(), makeRandom(seed)).split(/[«»]/);
  const secrets: LabelledSpan[] = [];
  let text = '';
  for (const [i, piece] of pieces.entries()) {
    const start = text.length;
    text += piece;
    if (i % 2 === 1) secrets.push({ start, end: text.length, rule: rules[secrets.length] ?? rules.at(-1)! });
  }
  if ((rules[0] === 'none') !== (secrets.length === 0))
    throw new Error(`${file}: the label does not match the marked secrets: ${text}`);
  return { file, text, secrets };
}

const FOLDER = new URL('./corpus/', import.meta.url);

export const CORPUS: readonly Case[] = readdirSync(FOLDER)
  .sort()
  .flatMap((file) =>
    readFileSync(new URL(file, FOLDER), 'utf8')
      .split(/^=== /m)
      .slice(1)
      .map((block, i) => parseCase(file, block, 1_000 * file.length + i)),
  );
