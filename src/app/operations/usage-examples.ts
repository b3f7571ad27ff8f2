import type { Stores } from '../../contract/ports/stores.ts';
import type { UsageStore } from '../../contract/ports/usage-store.ts';
import { type UsageSnapshot, usageSnapshotOf } from '../../discovery/usage-examples.ts';

export interface UsageExample extends UsageSnapshot {
  readonly owner: string;
}

/** The usage examples that rankings use, of one owner or of all. */
export async function listUsageExamples(store: UsageStore, owner?: string): Promise<UsageExample[]> {
  const owners = await listOwners(store, owner);
  return Promise.all(owners.map(async (one) => ({ owner: one, ...usageSnapshotOf(await store.list(one)) })));
}

/** Resolves to the number of pairs that were removed. The action is recorded in the log. */
export async function clearUsageExamples(
  { usage, receipts }: Pick<Stores, 'usage' | 'receipts'>,
  { owner, principalId }: { readonly owner?: string | undefined; readonly principalId: string },
): Promise<number> {
  const owners = await listOwners(usage, owner);
  const cleared = await Promise.all(owners.map((one) => usage.clear(one)));
  const removed = cleared.reduce((sum, pairs) => sum + pairs, 0);
  await receipts.append({
    kind: 'operator',
    at: new Date().toISOString(),
    principalId,
    action: 'clear_examples',
    details: { owner: owner ?? null, removed },
  });
  return removed;
}

async function listOwners(store: UsageStore, owner: string | undefined): Promise<string[]> {
  const owners = (await store.owners()).map((one) => one.owner);
  return owner === undefined ? owners : owners.filter((one) => one === owner);
}
