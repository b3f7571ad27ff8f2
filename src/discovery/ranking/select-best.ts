import type { ToolContract } from '../../contract/tool/tool.ts';

/** Answers show scores with four digits, so the ranking compares four: equal ones must be ordered by id. */
export const SCORE_STEPS = 10_000;

export interface ScoredTool {
  readonly tool: number;
  readonly contract: ToolContract;
  readonly score: number;
}

export interface SelectOptions {
  readonly limit: number;
  readonly maySee: (contract: ToolContract) => boolean;
}

/** The tools with the highest scores above zero, best first, without sorting the rest. */
export function selectBest(
  scores: Float32Array,
  contracts: readonly ToolContract[],
  { limit, maySee }: SelectOptions,
): ScoredTool[] {
  const selected: ScoredTool[] = [];
  let threshold = 0;
  for (let tool = 0; tool < scores.length; tool++) {
    const score = roundScore(scores[tool]!);
    if (score <= 0 || score < threshold) continue;
    const contract = contracts[tool]!;
    if (!maySee(contract)) continue;
    selected.push({ tool, contract, score });
    if (selected.length >= 4 * limit) {
      selected.sort(byScoreThenId).length = limit;
      threshold = selected[limit - 1]!.score;
    }
  }
  return selected.sort(byScoreThenId).slice(0, limit);
}

export function roundScore(score: number): number {
  return Math.round(score * SCORE_STEPS) / SCORE_STEPS;
}

function byScoreThenId(a: ScoredTool, b: ScoredTool): number {
  return b.score - a.score || (a.contract.id < b.contract.id ? -1 : 1);
}
