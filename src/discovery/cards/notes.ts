import { plainLine } from '../../base/text/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { UpstreamStatus } from '../../contract/upstream-state.ts';

/** What a browse may say beside its cards, in all. */
export const NOTES_TOKENS = 32;
/** A name with its state takes three tokens at least. */
const MAX_NAMED = 10;

const WORDS: Readonly<Record<UpstreamStatus['state']['kind'], string>> = {
  ready: 'ready',
  starting: 'starting',
  unavailable: 'down',
  needs_credentials: 'needs credentials',
  invalid: 'invalid',
  stopped: 'stopped',
};

export interface Remarks {
  readonly isEmpty: boolean;
  /** Tools whose card cannot be made small enough. */
  readonly leftOut: number;
  readonly unavailable: readonly UpstreamStatus[];
  /** What each part of the request found, by the places of the cards, from 1. */
  readonly parts?: readonly { readonly asked: string; readonly positions: readonly number[] }[];
}

/** The lines beside the cards. Silence would look like an empty catalog, or like a complete one. */
export function notesOn(
  { isEmpty, leftOut, unavailable, parts = [] }: Remarks,
  countTokens: CountTokens,
): string[] {
  const notes = [
    ...(isEmpty ? ['Nothing matches. Use other words, or walk from "/".'] : []),
    ...(leftOut > 0 ? [`Not shown: ${leftOut} with ids too long.`] : []),
  ];
  const fits = (note: string): boolean => countTokens(`${[...notes, note].join('\n')}\n`) <= NOTES_TOKENS;
  notes.push(...unavailableNote(unavailable, fits));
  return [...notes, ...(parts.length > 0 ? [partsNote(parts)].filter(fits) : [])];
}

const WORDS_OF_A_PART = 3;

/** Which cards answer which part of the request. */
function partsNote(parts: NonNullable<Remarks['parts']>): string {
  const told = parts.map(({ asked, positions }) => {
    const words = plainLine(asked, 200).split(' ').slice(0, WORDS_OF_A_PART);
    return `${words.join(' ')}… ${positions.join(',')}`;
  });
  return `By part: ${told.join('; ')}`;
}

/** Names the upstreams that are missing, as many as fit. */
function unavailableNote(unavailable: readonly UpstreamStatus[], fits: (note: string) => boolean): string[] {
  if (unavailable.length === 0) return [];
  for (let named = Math.min(unavailable.length, MAX_NAMED); named > 0; named--) {
    const names = unavailable
      .slice(0, named)
      .map(({ namespace, state }) => `${namespace} (${WORDS[state.kind]})`);
    const more = unavailable.length - named;
    const note = `Not available: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`;
    if (fits(note)) return [note];
  }
  return [`Not available: ${unavailable.length} upstream${unavailable.length === 1 ? '' : 's'}.`];
}
