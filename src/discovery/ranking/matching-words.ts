import type { RankingSignal } from '../../contract/browse.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { featuresOf } from './features.ts';
import { synonymsOf } from './lexicon.ts';
import { plainWordsOf, uniqueSearchWords } from './words.ts';

/** The words of a request that a tool has, and the synonyms through which it has others. */
export function matchingWords(
  request: string,
  contract: ToolContract,
): Partial<Record<RankingSignal, readonly string[]>> {
  const { weights } = featuresOf(contract, undefined);
  const words = uniqueSearchWords(plainWordsOf(request));
  return {
    words: words.filter((word) => weights.has(word)),
    synonyms: words.flatMap((word) =>
      synonymsOf(word)
        .filter((synonym) => weights.has(synonym) && !words.includes(synonym))
        .map((synonym) => `${word} → ${synonym}`),
    ),
  };
}
