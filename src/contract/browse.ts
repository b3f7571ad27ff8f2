import type { ChoiceCard } from './tool/card.ts';
import type { UpstreamStatus } from './upstream-state.ts';

/** What can speak for a tool. */
export type RankingSignal = 'words' | 'other words' | 'examples' | 'meaning' | 'namespace' | 'clauses';

/** Why a tool has its score: what each signal gave, and the words behind it. */
export interface ScoreExplanation {
  readonly score: number;
  readonly signals: readonly {
    readonly signal: RankingSignal;
    readonly points: number;
    readonly because: readonly string[];
  }[];
}

/** One of several things that a request asks for, with the tools that answer it best, best first. */
export interface ClauseGroup {
  readonly asked: string;
  readonly ids: readonly string[];
}

export interface BrowseRequest {
  readonly query?: unknown;
  readonly path?: unknown;
  readonly topK?: unknown;
  /** Say why each card has its score. For people: no surface offers it to a model. */
  readonly explain?: boolean;
}

export interface BrowseAnswer {
  readonly cards: readonly ChoiceCard[];
  /** What a model reads. */
  readonly text: string;
  /** Upstreams whose tools cannot be called now, with the reason. */
  readonly unavailable: readonly UpstreamStatus[];
  /** What each part of a request for several things found; empty for others. */
  readonly groups: readonly ClauseGroup[];
  /** By id, where it was asked for. */
  readonly explanations?: Readonly<Record<string, ScoreExplanation>>;
}
