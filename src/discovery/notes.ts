import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';

/** What a browse may say beside its cards. */
const NOTE_TOKENS = 30;

const WORDS: Readonly<Record<string, string>> = {
  starting: 'starting',
  unavailable: 'down',
  needs_credentials: 'needs credentials',
  invalid: 'invalid',
  stopped: 'stopped',
};

/** One line that names the upstreams that are missing, as many as fit. Silence would look like an empty catalog. */
export function unavailableNote(unavailable: readonly UpstreamStatus[], countTokens: CountTokens): string[] {
  if (unavailable.length === 0) return [];
  for (let named = unavailable.length; named >= 0; named--) {
    const names = unavailable
      .slice(0, named)
      .map(({ namespace, state }) => `${namespace} (${WORDS[state.kind]})`);
    const more = unavailable.length - named;
    const rest = more === 0 ? [] : [named === 0 ? `${more} upstreams` : `${more} more`];
    const note = `Not available: ${[...names, ...rest].join(', ')}.`;
    if (countTokens(note) <= NOTE_TOKENS) return [note];
  }
  return [];
}
