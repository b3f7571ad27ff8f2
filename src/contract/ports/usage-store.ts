/** A request, and a tool that was then called with success. */
export interface UsagePair {
  readonly request: string;
  /** `namespace:name`, without the version: what was learned outlives a change of the schema. */
  readonly tool: string;
  readonly times: number;
}

/**
 * What callers asked for before they called. An implementation
 * - keeps the pairs of one owner apart from those of every other;
 * - counts a pair that comes again, and never holds it twice, also when two come at the same moment;
 * - holds at most `MAX_PAIRS_A_TOOL` requests for one tool of one owner, and drops the one not seen for longest;
 * - lists by tool, then by request, in the order of their characters: the same pairs give the same bytes;
 * - has forgotten what `clear` names when it resolves, and says how many pairs that were.
 */
export interface UsageStore {
  record(owner: string, pair: Pick<UsagePair, 'request' | 'tool'>): Promise<void>;
  list(owner: string): Promise<readonly UsagePair[]>;
  /** Everybody of whom there is something, with how much. */
  owners(): Promise<readonly { readonly owner: string; readonly pairs: number }[]>;
  clear(owner: string): Promise<number>;
}

export const MAX_PAIRS_A_TOOL = 10;
