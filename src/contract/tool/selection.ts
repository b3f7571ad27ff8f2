/** What became of an id that a model chose from the ones it was offered. */
export type SelectionValidation =
  | { readonly status: 'accepted' | 'repaired'; readonly id: string }
  /** `candidates` are the ids that it could have meant, where there are several. */
  | { readonly status: 'rejected'; readonly candidates: readonly string[] };

/**
 * Checks a chosen id against those offered: exact, then the only one that differs in case alone, then the only one
 * that it begins. What could mean several is rejected, never guessed: the wrong tool is worse than none.
 */
export function validateSelection(selected: string, offered: readonly string[]): SelectionValidation {
  const wanted = selected.trim();
  if (offered.includes(wanted)) return { status: wanted === selected ? 'accepted' : 'repaired', id: wanted };
  const folded = wanted.toLowerCase();
  if (folded === '') return { status: 'rejected', candidates: [] };
  const sameLetters = offered.filter((id) => id.toLowerCase() === folded);
  const begun =
    sameLetters.length > 0 ? sameLetters : offered.filter((id) => id.toLowerCase().startsWith(folded));
  const [only, ...more] = begun;
  return only !== undefined && more.length === 0
    ? { status: 'repaired', id: only }
    : { status: 'rejected', candidates: begun };
}
