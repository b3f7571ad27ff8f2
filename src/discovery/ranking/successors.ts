import type { ToolContract } from '../../contract/tool/tool.ts';
import { SCORE_STEPS } from './select-best.ts';

/** A tool that calls itself deprecated, and the tool of the same namespace that it names instead. Both are positions. */
export interface Succession {
  readonly deprecated: number;
  readonly successor: number;
}

const MAX_READ_LENGTH = 4_000;

/** "DEPRECATED: Use x", "This tool is deprecated, use x", "deprecated in favor of x", "deprecated, replaced by x". */
const NOTICE =
  /\bdeprecated\b(?:[\])]?\s*[:.,;!–—-]\s*(?:please\s+)?(?:use|prefer)|\s+in\s+favou?r\s+of|,?\s+(?:and\s+)?(?:replaced|superseded)\s+by)\s+(?:the\s+)?[`'"]?([\w.:/-]{1,128})/i;

export function findSuccessions(contracts: readonly ToolContract[]): readonly Succession[] {
  const noticed = contracts.flatMap(({ namespace, description }, deprecated) => {
    const name = NOTICE.exec(description.slice(0, MAX_READ_LENGTH))?.[1]?.replace(/[.:]+$/, '');
    return name === undefined ? [] : [{ deprecated, namespace, name }];
  });
  return noticed.flatMap(({ deprecated, namespace, name }) => {
    const successor = contracts.findIndex((other) => other.name === name && other.namespace === namespace);
    return successor < 0 || successor === deprecated ? [] : [{ deprecated, successor }];
  });
}

/**
 * Ranks a deprecated tool below its successor, which takes the higher score of the two: their words are nearly the same,
 * and whoever asks for the one wants the other.
 */
export function preferSuccessors(scores: Float32Array, successions: readonly Succession[]): void {
  for (const { deprecated, successor } of successions) {
    if (scores[deprecated]! <= 0) continue;
    const lower = Math.min(scores[deprecated]!, scores[successor]!);
    const higher = Math.max(scores[deprecated]!, scores[successor]!);
    scores[successor] = higher;
    scores[deprecated] = Math.min(lower > 0 ? lower : higher, higher - 1 / SCORE_STEPS);
  }
}
