import type { ClauseGroup } from '../../contract/browse.ts';
import type { Ranked } from './ranker.ts';

/** What each part of a request found; nothing where it asks for one thing, or all answers are to one part. */
export function groupsOf(ranked: readonly Ranked[]): readonly ClauseGroup[] {
  const parts = Map.groupBy(
    ranked.filter(({ clause }) => clause !== undefined),
    ({ clause }) => clause!,
  );
  if (parts.size < 2) return [];
  return [...parts].map(([asked, answers]) => ({ asked, ids: answers.map(({ contract }) => contract.id) }));
}
