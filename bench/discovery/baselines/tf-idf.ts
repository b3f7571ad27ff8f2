import type { ToolContract } from '../../../src/contract/tool/tool.ts';
import { wordsOf } from '../../../src/discovery/ranking/words.ts';
import type { Search } from '../contestant.ts';
import { bestOf } from './best-scores.ts';

interface Posting {
  readonly tool: number;
  readonly weight: number;
}

/** Cosine similarity of TF-IDF vectors over name and description. */
export function tfIdf(tools: readonly ToolContract[]): Search {
  const counts = tools.map(({ name, description }) => countWords(wordsOf(`${name} ${description}`)));
  const idf = inverseDocumentFrequencies(counts);
  const postings = new Map<string, Posting[]>();
  for (const [tool, words] of counts.entries()) {
    const norm = Math.hypot(...[...words].map(([word, count]) => count * idf.get(word)!)) || 1;
    for (const [word, count] of words) {
      const posting = { tool, weight: (count * idf.get(word)! ** 2) / norm };
      const known = postings.get(word);
      if (known) known.push(posting);
      else postings.set(word, [posting]);
    }
  }
  return (query, limit) => {
    const scores = new Float32Array(tools.length);
    for (const [word, count] of countWords(wordsOf(query)))
      for (const { tool, weight } of postings.get(word) ?? []) scores[tool]! += count * weight;
    return bestOf(scores, limit);
  };
}

function inverseDocumentFrequencies(
  counts: readonly ReadonlyMap<string, number>[],
): ReadonlyMap<string, number> {
  const documents = countWords(counts.flatMap((words) => [...words.keys()]));
  return new Map([...documents].map(([word, count]) => [word, Math.log(counts.length / count) + 1]));
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
