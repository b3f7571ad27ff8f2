import { plainLine } from '../../base/text/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { UpstreamStatus } from '../../contract/upstream-state.ts';

/** The token budget of all notes of one answer together. */
export const NOTES_TOKENS = 32;
/** A name with its state costs at least three tokens, so more names than this never fit. */
const MAX_LISTED_UPSTREAMS = 10;
const WORDS_PER_CLAUSE = 3;

const STATE_LABELS: Readonly<Record<UpstreamStatus['state']['kind'], string>> = {
  ready: 'ready',
  starting: 'starting',
  unavailable: 'down',
  needs_credentials: 'needs credentials',
  misconfigured: 'misconfigured',
  invalid: 'invalid',
  stopped: 'stopped',
};

export interface NotesInput {
  readonly isEmpty: boolean;
  /** Tools whose card does not fit the budget. */
  readonly leftOut: number;
  readonly unavailable: readonly UpstreamStatus[];
  /** The clauses of the query, each with the positions of its cards, from 1. */
  readonly clauses?: readonly { readonly text: string; readonly positions: readonly number[] }[];
}

/** The lines after the cards. Without them a model would take an incomplete answer for the whole catalog. */
export function notesFor(
  { isEmpty, leftOut, unavailable, clauses = [] }: NotesInput,
  countTokens: CountTokens,
): string[] {
  const notes = [
    ...(isEmpty ? ['No match. Use other words or browse from "/".'] : []),
    ...(leftOut > 0 ? [`Not shown: ${leftOut} tool${leftOut === 1 ? '' : 's'} (id too long).`] : []),
  ];
  const fits = (note: string): boolean => countTokens(`${[...notes, note].join('\n')}\n`) <= NOTES_TOKENS;
  notes.push(...unavailableNote(unavailable, fits));
  return [...notes, ...(clauses.length > 0 ? [clausesNote(clauses)].filter(fits) : [])];
}

/** Which cards match which clause of the query. */
function clausesNote(clauses: NonNullable<NotesInput['clauses']>): string {
  const entries = clauses.map(({ text, positions }) => {
    const words = plainLine(text, 200).split(' ').slice(0, WORDS_PER_CLAUSE);
    return `${words.join(' ')}… ${positions.join(',')}`;
  });
  return `By part: ${entries.join('; ')}`;
}

/** Names as many of the unavailable upstreams as fit, and counts the rest. */
function unavailableNote(unavailable: readonly UpstreamStatus[], fits: (note: string) => boolean): string[] {
  if (unavailable.length === 0) return [];
  for (let listed = Math.min(unavailable.length, MAX_LISTED_UPSTREAMS); listed > 0; listed--) {
    const names = unavailable
      .slice(0, listed)
      .map(({ namespace, state }) => `${namespace} (${STATE_LABELS[state.kind]})`);
    const more = unavailable.length - listed;
    const note = `Not available: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`;
    if (fits(note)) return [note];
  }
  return [`Not available: ${unavailable.length} upstream${unavailable.length === 1 ? '' : 's'}.`];
}
