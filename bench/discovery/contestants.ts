import { readFileSync } from 'node:fs';
import { runSync } from '../../src/base/async/cooperative.ts';
import type { ToolContract } from '../../src/contract/tool/tool.ts';
import { type FieldName, featuresOf } from '../../src/discovery/ranking/features.ts';
import { LexicalIndex } from '../../src/discovery/ranking/lexical-index.ts';
import { Ranker, type RankingWeights, WEIGHTS } from '../../src/discovery/ranking/ranker.ts';
import { WordVectors } from '../../src/discovery/ranking/word-vectors.ts';
import { wordsOf } from '../../src/discovery/ranking/words.ts';
import { bestOf } from './baselines/best-scores.ts';
import { miniSearch } from './baselines/minisearch.ts';
import { tfIdf } from './baselines/tf-idf.ts';
import type { Contestant, Search } from './contestant.ts';

export const BM25F: Contestant = { name: 'bm25f', build: (tools) => lexical(tools) };
export const TOOLGATE: Contestant = { name: 'toolgate', build: (tools) => toolgate(tools) };

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'tf-idf', build: tfIdf },
  { name: 'bm25', build: (tools) => lexical(tools, ['name', 'description']) },
  BM25F,
  { name: 'minisearch', build: miniSearch },
  TOOLGATE,
];

/** Toolgate without one signal each, to measure the gain of each signal. */
export const ABLATIONS: readonly Contestant[] = [
  TOOLGATE,
  { name: 'without meaning', build: (tools) => toolgate(tools, { meaning: 0 }) },
  { name: 'without lexicon', build: (tools) => toolgate(tools, { lexicon: 0 }) },
  { name: 'without namespaces', build: (tools) => toolgate(tools, { namespace: 0 }) },
  { name: 'without clauses', build: (tools) => toolgate(tools, { clauses: 0 }) },
];

/** The vectors are read for each index, because they are part of its memory. */
export function rankerOver(tools: readonly ToolContract[], overrides: Partial<RankingWeights> = {}): Ranker {
  const vectors = new WordVectors(readFileSync(new URL('../../assets/word-vectors.bin', import.meta.url)));
  return runSync(Ranker.of(tools, { vectors, weights: { ...WEIGHTS, ...overrides } }));
}

export function toolgateWith(weights: RankingWeights): Contestant {
  return { name: 'toolgate', build: (tools) => toolgate(tools, weights) };
}

function toolgate(tools: readonly ToolContract[], overrides: Partial<RankingWeights> = {}): Search {
  const ranker = rankerOver(tools, overrides);
  const indexes = new Map(tools.map((tool, index) => [tool, index]));
  return (query, limit) => ranker.rank(query, limit).map(({ contract }) => indexes.get(contract)!);
}

function lexical(tools: readonly ToolContract[], fields?: readonly FieldName[]): Search {
  const score = lexicalScores(tools, fields);
  return (query, limit) => bestOf(score(query), limit);
}

/** The BM25F score of each tool for a query. */
export function lexicalScores(
  tools: readonly ToolContract[],
  fields?: readonly FieldName[],
): (query: string) => Float32Array {
  const index = runSync(LexicalIndex.of(tools.map((tool) => featuresOf(tool, undefined, fields))));
  return (query) => {
    const scores = new Float32Array(tools.length);
    for (const word of new Set(wordsOf(query))) index.add(word, scores);
    return scores;
  };
}
