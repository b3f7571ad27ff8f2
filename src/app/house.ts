import type { Principal } from '../contract/principal.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { compileAffordances } from '../discovery/affordances.ts';
import { browse, type Shelf } from '../discovery/browse.ts';
import type { Rankers } from '../discovery/ranking/rankers.ts';
import type { House } from '../ingress/mcp/gateway/surface.ts';
import type { Gate } from '../lifecycle/gate.ts';
import { invoke } from '../lifecycle/invoke.ts';
import { ownerOf } from '../results/artifact.ts';
import { viewArtifact } from '../results/view.ts';
import type { CallersBounds } from './early-callers.ts';

export interface HouseParts {
  readonly gate: Gate;
  readonly rankers: Rankers;
  /** Those that callers may know of. */
  readonly upstreams: () => readonly UpstreamStatus[];
  readonly untilStarted: (bounds?: CallersBounds) => Promise<void>;
}

/** What surfaces may ask, answered from the gate that every call passes. */
export function houseOf({ gate, rankers, upstreams, untilStarted }: HouseParts): House {
  const { catalog, maySee, firewall } = gate;
  const shelfFor = async (principal: Principal): Promise<Shelf> => {
    await untilStarted();
    const { snapshot } = catalog;
    const ranker = await rankers.of(snapshot);
    return {
      snapshot,
      upstreams: upstreams(),
      maySee: (contract) => maySee({ principal, contract }),
      rank: (words, limit, visible) => ranker.rank(words, limit, visible),
      countTokens: firewall.countTokens,
    };
  };
  return {
    browse: async (principal, request) => browse(await shelfFor(principal), request),
    affordances: async (principal, objective, budget) =>
      compileAffordances(await shelfFor(principal), objective, budget),
    async invoke(arrival) {
      // A tool that is there already need not wait for the others.
      if (!catalog.snapshot.resolve(arrival.tool)) await untilStarted(arrival);
      return invoke(gate, arrival);
    },
    view: (principal, handle, selector) =>
      viewArtifact(firewall.artifacts, { owner: ownerOf(principal), handle, selector }),
  };
}
