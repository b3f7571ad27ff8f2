/** The result of checking an id that a model selected from the offered ones. */
export type SelectionValidation =
  | { readonly status: 'accepted' | 'repaired'; readonly id: string }
  /** `candidates` are the ids that match equally well, if there are any. */
  | { readonly status: 'rejected'; readonly candidates: readonly string[] };

/**
 * Matches a selected id against the offered ones: exactly, then ignoring case, then as a prefix, then exactly without
 * the arguments that a card lists after the id. An ambiguous id is rejected and never guessed, because a wrong tool is worse
 * than none.
 */
export function validateSelection(selected: string, offered: readonly string[]): SelectionValidation {
  const trimmed = selected.trim();
  if (offered.includes(trimmed))
    return { status: trimmed === selected ? 'accepted' : 'repaired', id: trimmed };
  const folded = trimmed.toLowerCase();
  if (folded === '') return { status: 'rejected', candidates: [] };
  const equal = offered.filter((id) => id.toLowerCase() === folded);
  const matches = equal.length > 0 ? equal : offered.filter((id) => id.toLowerCase().startsWith(folded));
  const [only, ...more] = matches;
  const [bare] = trimmed.split('(', 1);
  if (only === undefined && offered.includes(bare!)) return { status: 'repaired', id: bare! };
  return only !== undefined && more.length === 0
    ? { status: 'repaired', id: only }
    : { status: 'rejected', candidates: matches };
}
