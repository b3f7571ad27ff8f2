import type { UsagePair } from '../../contract/ports/usage-store.ts';
import { fromStoredText } from './stored-text.ts';

export interface UsageRow {
  readonly tool: string;
  readonly request: string;
  readonly times: number;
}

/** Sorts in the process, because engines order characters differently. */
export function toSortedPairs(rows: readonly UsageRow[]): UsagePair[] {
  return rows
    .map(({ tool, request, times }) => ({
      tool: fromStoredText(tool),
      request: fromStoredText(request),
      times,
    }))
    .sort((a, b) => compare(a.tool, b.tool) || compare(a.request, b.request));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
