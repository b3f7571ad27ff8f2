import type { Ranked } from './ranker.ts';

/** One of several things that a request asks for, with the tools that answer it best, best first. */
export interface Group {
  readonly asked: string;
  readonly ids: readonly string[];
}

/** What each part of a request found; nothing where it asks for one thing, or all answers are to one part. */
export function groupsOf(ranked: readonly Ranked[]): readonly Group[] {
  const parts = Map.groupBy(
    ranked.filter(({ clause }) => clause !== undefined),
    ({ clause }) => clause!,
  );
  if (parts.size < 2) return [];
  return [...parts].map(([asked, answers]) => ({ asked, ids: answers.map(({ contract }) => contract.id) }));
}
