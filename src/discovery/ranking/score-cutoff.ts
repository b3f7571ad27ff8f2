import type { Ranked } from './ranker.ts';

/** A tool below this share of the best score is rarely the right one, and its card costs tokens. */
const MIN_SHARE_OF_BEST = 0.5;
const MIN_RESULTS = 5;

/** Cuts a ranked list where its scores have dropped. */
export function cutAtDrop(ranked: readonly Ranked[]): readonly Ranked[] {
  const best = ranked[0]?.score ?? 0;
  const end = ranked.findIndex(
    ({ score }, position) => position >= MIN_RESULTS && score < MIN_SHARE_OF_BEST * best,
  );
  return end < 0 ? ranked : ranked.slice(0, end);
}
