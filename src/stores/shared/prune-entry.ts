import type { OperatorEntry, PruneRequest } from '../../contract/ports/receipt-log.ts';

/** The time before which entries are removed: never in the future, where the record of the prune itself would be removed. */
export function cutoffOf({ before }: PruneRequest): string {
  return new Date(Math.min(Date.parse(before), Date.now())).toISOString();
}

export function pruneEntryOf({ principalId }: PruneRequest, before: string, removed: number): OperatorEntry {
  const at = new Date().toISOString();
  return { kind: 'operator', at, principalId, action: 'prune', details: { before, removed } };
}
