/** A request and a tool that was then called successfully. */
export interface UsagePair {
  readonly request: string;
  /** `namespace:name` without the version: a pair stays valid when the schema changes. */
  readonly tool: string;
  readonly times: number;
}

/**
 * Requests that led to a call of a tool. An implementation
 * - keeps the pairs of each owner separate;
 * - counts a repeated pair and never stores it twice, also for concurrent writes;
 * - holds at most `MAX_PAIRS_PER_TOOL` requests for one tool of one owner, and drops the least recently recorded one;
 * - lists by tool, then by request, in the order of UTF-16 code units: the same pairs give the same bytes;
 * - has removed the pairs of the owner when `clear` resolves, to the number of removed pairs.
 */
export interface UsageStore {
  record(owner: string, pair: Pick<UsagePair, 'request' | 'tool'>): Promise<void>;
  list(owner: string): Promise<readonly UsagePair[]>;
  /** Every owner that has pairs, with their number. */
  owners(): Promise<readonly { readonly owner: string; readonly pairs: number }[]>;
  clear(owner: string): Promise<number>;
}

export const MAX_PAIRS_PER_TOOL = 10;
