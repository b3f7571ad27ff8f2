import type { Ranked } from './ranker.ts';

/** What scores less than this share of the best is hardly ever what was meant, and costs a card to say so. */
const LEAST_OF_BEST = 0.5;
const ALWAYS_SHOWN = 5;

/** Cuts a ranked list where its scores have dropped. */
export function cutAtDrop(ranked: readonly Ranked[]): readonly Ranked[] {
  const best = ranked[0]?.score ?? 0;
  const end = ranked.findIndex(({ score }, place) => place >= ALWAYS_SHOWN && score < LEAST_OF_BEST * best);
  return end < 0 ? ranked : ranked.slice(0, end);
}
