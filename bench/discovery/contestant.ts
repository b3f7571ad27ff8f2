import type { ToolContract } from '../../src/contract/tool/tool.ts';

/** Ranks the tools of a catalog and returns the indexes of the best, best first. */
export type Search = (query: string, limit: number) => readonly number[];

/** Times of work that was done before the benchmark, and that no other time includes. */
export interface Beforehand {
  readonly toolsMs: number;
  /** The median time of one query. */
  readonly queryMs: number;
}

export interface Contestant {
  readonly name: string;
  readonly beforehand?: Beforehand;
  build(tools: readonly ToolContract[]): Search;
}
