import { readdirSync, readFileSync } from 'node:fs';

/**
 * The labelled corpus. A case is a line `=== rule` (or `=== none`, or `=== rule+rule` in the order of the secrets) and
 * the text below it. «…» holds exactly what must disappear; all else must stay. Nothing in the files is a key that a
 * scanner of code hosts would stop: `{A36}` is 36 drawn characters, the same ones on every run.
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

/** What should come out: the text with each secret gone, and nothing else. */
export function expected({ text, secrets }: Case): string {
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

type Draw = (limit: number) => number;

/** Mulberry32: small, seeded, good enough for bodies of tokens. */
function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Neither end is punctuation: where such a token ends would be a question of taste. */
function drawn(draw: Draw, alphabet: string, length: number): string {
  const characters = Array.from({ length }, () => alphabet[draw(alphabet.length)]!);
  for (const end of [0, length - 1]) if (/[-_+/]/.test(characters[end] ?? '')) characters[end] = 'q';
  return characters.join('');
}

const base64url = (value: string): string => Buffer.from(value).toString('base64url');

const WHOLE: Readonly<Record<string, (draw: Draw) => string>> = {
  uuid: (draw) => [8, 4, 4, 4, 12].map((length) => drawn(draw, ALPHABETS.H!, length)).join('-'),
  jwt: (draw) =>
    [
      base64url('{"alg":"HS256","typ":"JWT"}'),
      base64url(`{"sub":"${drawn(draw, DIGITS, 10)}","iat":1767225600}`),
      drawn(draw, ALPHABETS.W!, 43),
    ].join('.'),
  'jwt:none': (draw) =>
    `${base64url('{"alg":"none"}')}.${base64url(`{"sub":"${drawn(draw, DIGITS, 10)}"}`)}.`,
  jwe: (draw) =>
    [
      base64url('{"alg":"RSA-OAEP","enc":"A256GCM"}'),
      ...[86, 16, 64, 22].map((length) => drawn(draw, ALPHABETS.W!, length)),
    ].join('.'),
  basic: (draw) => Buffer.from(`user:${drawn(draw, ALPHABETS.A!, 12)}`).toString('base64'),
  discord: (draw) =>
    `${base64url(`1${drawn(draw, DIGITS, 17)}`)}.${drawn(draw, ALPHABETS.A!, 6)}.${drawn(draw, ALPHABETS.W!, 38)}`,
};

function filled(template: string, draw: Draw): string {
  return template.replace(
    /\{(?:([ABCDHLRUWX])(\d+)|([a-z]+(?::[a-z]+)?))\}/g,
    (all, alphabet, length, whole) => {
      if (alphabet !== undefined) return drawn(draw, ALPHABETS[alphabet]!, Number(length));
      return WHOLE[whole]?.(draw) ?? all;
    },
  );
}

function parsed(file: string, block: string, seed: number): Case {
  const [heading, ...lines] = block.split('\n');
  const rules = heading!.trim().split('+');
  const pieces = filled(lines.join('\n').trimEnd(), drawFrom(seed)).split(/[«»]/);
  const secrets: LabelledSpan[] = [];
  let text = '';
  for (const [i, piece] of pieces.entries()) {
    const start = text.length;
    text += piece;
    if (i % 2 === 1) secrets.push({ start, end: text.length, rule: rules[secrets.length] ?? rules.at(-1)! });
  }
  if ((rules[0] === 'none') !== (secrets.length === 0))
    throw new Error(`${file}: label and text differ: ${text}`);
  return { file, text, secrets };
}

const FOLDER = new URL('./corpus/', import.meta.url);

export const CORPUS: readonly Case[] = readdirSync(FOLDER)
  .sort()
  .flatMap((file) =>
    readFileSync(new URL(file, FOLDER), 'utf8')
      .split(/^=== /m)
      .slice(1)
      .map((block, i) => parsed(file, block, 1_000 * file.length + i)),
  );
