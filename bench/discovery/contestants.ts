import { readFileSync } from 'node:fs';
import type { ToolContract } from '../../src/contract/tool/tool.ts';
import { type FieldName, featuresOf } from '../../src/discovery/ranking/features.ts';
import { LexicalIndex } from '../../src/discovery/ranking/lexical-index.ts';
import { Ranker, type RankingWeights, WEIGHTS } from '../../src/discovery/ranking/ranker.ts';
import { runSync } from '../../src/discovery/ranking/turns.ts';
import { WordVectors } from '../../src/discovery/ranking/word-vectors.ts';
import { wordsOf } from '../../src/discovery/ranking/words.ts';
import { bestOf } from './best-scores.ts';
import { miniSearch } from './minisearch.ts';
import { tfIdf } from './tf-idf.ts';

/** Ranks a catalog: the indexes of the best tools, best first. */
export type Search = (query: string, limit: number) => readonly number[];

/** What was done before the bench began, and is in none of its times. */
export interface Beforehand {
  readonly toolsMs: number;
  /** One query by itself, the median. */
  readonly queryMs: number;
}

export interface Contestant {
  readonly name: string;
  readonly beforehand?: Beforehand;
  build(tools: readonly ToolContract[]): Search;
}

export const BM25F: Contestant = { name: 'bm25f', build: (tools) => lexical(tools) };
export const TOOLGATE: Contestant = { name: 'toolgate', build: (tools) => toolgate(tools) };

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'tf-idf', build: tfIdf },
  { name: 'bm25', build: (tools) => lexical(tools, ['name', 'description']) },
  BM25F,
  { name: 'minisearch', build: miniSearch },
  TOOLGATE,
];

/** Toolgate with one part taken away: what each part earns. */
export const ABLATIONS: readonly Contestant[] = [
  TOOLGATE,
  { name: 'without meaning', build: (tools) => toolgate(tools, { meaning: 0 }) },
  { name: 'without lexicon', build: (tools) => toolgate(tools, { lexicon: 0 }) },
  { name: 'without namespaces', build: (tools) => toolgate(tools, { namespace: 0 }) },
  { name: 'without clauses', build: (tools) => toolgate(tools, { clauses: 0 }) },
];

/** The table of vectors is read anew for each index: it is part of what the index costs. */
export function rankerOver(tools: readonly ToolContract[], changed: Partial<RankingWeights> = {}): Ranker {
  const vectors = new WordVectors(readFileSync(new URL('../../assets/word-vectors.bin', import.meta.url)));
  return runSync(Ranker.of(tools, { vectors, weights: { ...WEIGHTS, ...changed } }));
}

export function toolgateWith(weights: RankingWeights): Contestant {
  return { name: 'toolgate', build: (tools) => toolgate(tools, weights) };
}

function toolgate(tools: readonly ToolContract[], changed: Partial<RankingWeights> = {}): Search {
  const ranker = rankerOver(tools, changed);
  const indexes = new Map(tools.map((tool, index) => [tool, index]));
  return (query, limit) => ranker.rank(query, limit).map(({ contract }) => indexes.get(contract)!);
}

function lexical(tools: readonly ToolContract[], fields?: readonly FieldName[]): Search {
  const score = lexicalScores(tools, fields);
  return (query, limit) => bestOf(score(query), limit);
}

/** What the words of a query say for each tool. */
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
