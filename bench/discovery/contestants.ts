import { readFileSync } from 'node:fs';
import type { ToolContract } from '../../src/contract/tool.ts';
import { type FieldName, featuresOf } from '../../src/discovery/ranking/features.ts';
import { LexicalIndex } from '../../src/discovery/ranking/lexical-index.ts';
import { Ranker, type RankingWeights, WEIGHTS } from '../../src/discovery/ranking/ranker.ts';
import { atOnce } from '../../src/discovery/ranking/turns.ts';
import { WordVectors } from '../../src/discovery/ranking/word-vectors.ts';
import { wordsOf } from '../../src/discovery/words.ts';

/** Ranks a catalog: the indexes of the best tools, best first. */
export type Search = (query: string, limit: number) => readonly number[];

export interface Contestant {
  readonly name: string;
  build(tools: readonly ToolContract[]): Search;
}

const vectors = new WordVectors(readFileSync(new URL('../../assets/word-vectors.bin', import.meta.url)));

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'tf-idf', build: tfIdf },
  { name: 'bm25', build: (tools) => lexical(tools, ['name', 'description']) },
  { name: 'bm25f', build: (tools) => lexical(tools) },
  { name: 'toolgate', build: (tools) => toolgate(tools, WEIGHTS) },
];

/** Toolgate with one part taken away: what each part earns. */
export const ABLATIONS: readonly Contestant[] = [
  { name: 'toolgate', build: (tools) => toolgate(tools, WEIGHTS) },
  { name: 'without meaning', build: (tools) => toolgate(tools, { ...WEIGHTS, meaning: 0 }) },
  { name: 'without lexicon', build: (tools) => toolgate(tools, { ...WEIGHTS, lexicon: 0 }) },
  { name: 'without namespaces', build: (tools) => toolgate(tools, { ...WEIGHTS, namespace: 0 }) },
  { name: 'without clauses', build: (tools) => toolgate(tools, { ...WEIGHTS, clauses: 0 }) },
];

function toolgate(tools: readonly ToolContract[], weights: RankingWeights): Search {
  const ranker = atOnce(Ranker.of(tools, { vectors, weights }));
  const indexes = new Map(tools.map((tool, index) => [tool, index]));
  return (query, limit) => ranker.rank(query, limit).map(({ contract }) => indexes.get(contract)!);
}

function lexical(tools: readonly ToolContract[], fields?: readonly FieldName[]): Search {
  const index = atOnce(LexicalIndex.of(tools.map((tool) => featuresOf(tool, undefined, fields))));
  return (query, limit) => {
    const scores = new Float32Array(tools.length);
    for (const word of new Set(wordsOf(query))) index.add(word, scores);
    return best(scores, limit);
  };
}

function tfIdf(tools: readonly ToolContract[]): Search {
  const counts = tools.map(({ name, description }) => countsOf(wordsOf(`${name} ${description}`)));
  const documents = new Map<string, number>();
  for (const words of counts)
    for (const word of words.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(tools.length / (documents.get(word) ?? tools.length)) + 1;
  const norms = counts.map(
    (words) => Math.hypot(...[...words].map(([word, count]) => count * rarity(word))) || 1,
  );
  return (query, limit) => {
    const scores = new Float32Array(tools.length);
    const asked = countsOf(wordsOf(query));
    for (const [tool, words] of counts.entries()) {
      let sum = 0;
      for (const [word, count] of asked) sum += count * (words.get(word) ?? 0) * rarity(word) ** 2;
      scores[tool] = sum / norms[tool]!;
    }
    return best(scores, limit);
  };
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function best(scores: Float32Array, limit: number): number[] {
  const found = [...scores.keys()].filter((tool) => scores[tool]! > 0);
  return found.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit);
}
