import type { ChoiceCard } from './tool/card.ts';
import type { UpstreamStatus } from './upstream-state.ts';

/** A source of points in a tool's score. */
export type RankingSignal =
  | 'words'
  | 'synonyms'
  | 'examples'
  | 'meaning'
  | 'namespace'
  | 'clauses'
  | 'deprecation';

/** Why a tool has its score: the points of each signal, and the words that earned them. */
export interface ScoreExplanation {
  readonly score: number;
  readonly signals: readonly {
    readonly signal: RankingSignal;
    readonly points: number;
    readonly because: readonly string[];
  }[];
}

/** One clause of a request that has several, with the tools that match it best, best first. */
export interface ClauseGroup {
  readonly asked: string;
  readonly ids: readonly string[];
}

export interface BrowseRequest {
  readonly query?: unknown;
  readonly path?: unknown;
  readonly topK?: unknown;
  /** Adds an explanation of each card's score. It is for people: no surface offers it to a model. */
  readonly explain?: boolean;
}

export interface BrowseAnswer {
  readonly cards: readonly ChoiceCard[];
  /** The text form that a model reads. */
  readonly text: string;
  /** Upstreams whose tools cannot be called now, with the reason. */
  readonly unavailable: readonly UpstreamStatus[];
  /** The results of each clause where the query has several; otherwise empty. */
  readonly groups: readonly ClauseGroup[];
  /** By tool id; present only where the request set `explain`. */
  readonly explanations?: Readonly<Record<string, ScoreExplanation>>;
}
