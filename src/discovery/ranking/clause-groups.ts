import type { ClauseGroup } from '../../contract/browse.ts';
import type { Ranked } from './ranker.ts';

/** The ranked tools by the clause that each matches best; empty where they all match the same clause. */
export function groupByClause(ranked: readonly Ranked[]): readonly ClauseGroup[] {
  const byClause = Map.groupBy(
    ranked.filter(({ clause }) => clause !== undefined),
    ({ clause }) => clause!,
  );
  if (byClause.size < 2) return [];
  return [...byClause].map(([clause, tools]) => ({
    asked: clause,
    ids: tools.map(({ contract }) => contract.id),
  }));
}
