import type { UsageStore } from '../../contract/ports/usage-store.ts';
import { type UsageSnapshot, usageSnapshotOf } from '../../discovery/usage-examples.ts';

export interface UsageExample extends UsageSnapshot {
  readonly owner: string;
}

/** What rankings go by, of one owner or of all, as an operator may inspect it. */
export async function listUsageExamples(store: UsageStore, owner?: string): Promise<UsageExample[]> {
  const owners = await ownersIn(store, owner);
  return Promise.all(owners.map(async (one) => ({ owner: one, ...usageSnapshotOf(await store.list(one)) })));
}

/** How many pairs were forgotten. */
export async function clearUsageExamples(store: UsageStore, owner?: string): Promise<number> {
  const cleared = await Promise.all((await ownersIn(store, owner)).map((one) => store.clear(one)));
  return cleared.reduce((sum, pairs) => sum + pairs, 0);
}

async function ownersIn(store: UsageStore, owner: string | undefined): Promise<string[]> {
  const owners = (await store.owners()).map((one) => one.owner);
  return owner === undefined ? owners : owners.filter((one) => one === owner);
}
