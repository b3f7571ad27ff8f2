/** Catalogs for discovery tests, built from plain descriptors that pass the same admission as real ones. */

import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { runSync } from '../src/base/async/cooperative.ts';
import { admit } from '../src/catalog/admit.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../src/catalog/schema/budget.ts';
import { CatalogSnapshot } from '../src/catalog/snapshot.ts';
import type { ToolDescriptor } from '../src/contract/tool/descriptor.ts';
import type { BrowseContext } from '../src/discovery/browse.ts';
import { Ranker } from '../src/discovery/ranking/ranker.ts';

export type ToolOffer = Partial<ToolDescriptor> & { readonly name: string };

export function snapshotOf(byNamespace: Readonly<Record<string, readonly ToolOffer[]>>): CatalogSnapshot {
  const admissions = Object.entries(byNamespace).map(([namespace, tools]) =>
    admit(
      namespace,
      tools.map((tool) => ({ hints: {}, ...tool })),
      {
        profile: 'personal',
        visibility: 'external',
        onOversizedSchema: 'refuse',
        limits: DEFAULT_SCHEMA_LIMITS,
      },
    ),
  );
  return new CatalogSnapshot(1, admissions);
}

export function browseContextOf(
  byNamespace: Readonly<Record<string, readonly ToolOffer[]>>,
  overrides: Partial<BrowseContext> = {},
): BrowseContext {
  const snapshot = snapshotOf(byNamespace);
  const ranker = runSync(Ranker.of(snapshot.contracts));
  return {
    snapshot,
    upstreams: [],
    maySee: () => true,
    rank: (request, limit) => ranker.rank(request, limit, overrides),
    explain: (request, contract) => ranker.explain(request, contract),
    countTokens,
    ...overrides,
  };
}

const VERBS = ['create', 'list', 'get', 'update', 'delete', 'search', 'merge', 'close', 'assign', 'export'];
const NOUNS = [
  'issue',
  'pull_request',
  'comment',
  'label',
  'branch',
  'release',
  'file',
  'user',
  'team',
  'hook',
];
const SUFFIXES = ['', '_by_id', '_for_user', '_in_bulk', 'V2', '-draft', '_history', '.legacy'];

/** Tools with realistic names, all different. */
export function realisticTools(count: number): ToolOffer[] {
  return Array.from({ length: count }, (_, i) => {
    const noun = NOUNS[i % NOUNS.length];
    const verb = VERBS[Math.floor(i / NOUNS.length) % VERBS.length];
    const suffix = SUFFIXES[Math.floor(i / (NOUNS.length * VERBS.length)) % SUFFIXES.length];
    const round = Math.floor(i / (NOUNS.length * VERBS.length * SUFFIXES.length));
    return {
      name: `${verb}_${noun}${suffix}${round === 0 ? '' : `_${round + 1}`}`,
      description: `${verb} one ${noun} of a repository. Needs write access.`,
    };
  });
}
