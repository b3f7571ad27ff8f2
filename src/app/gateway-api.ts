import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import type { Principal } from '../contract/call/principal.ts';
import { ownerOf } from '../contract/call/principal.ts';
import type { GatewayApi } from '../contract/gateway-api.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { compileAffordances } from '../discovery/affordances/compile.ts';
import { type BrowseContext, browse } from '../discovery/browse.ts';
import { showableCard } from '../discovery/cards/cards.ts';
import type { StableOrders } from '../discovery/cards/stable-order.ts';
import type { Rankers } from '../discovery/ranking/rankers.ts';
import type { UsageExamples } from '../discovery/usage-examples.ts';
import type { CallDependencies } from '../lifecycle/dependencies.ts';
import { invoke } from '../lifecycle/invoke.ts';
import { quotaSubjectOf, sessionOf } from '../lifecycle/phases/authorize.ts';
import { redactJson } from '../redaction/redact-json.ts';
import { viewArtifact } from '../results/view.ts';
import type { CallerLimits } from './wiring/startup-wait.ts';

export interface GatewayApiParts {
  readonly deps: CallDependencies;
  readonly rankers: Rankers;
  readonly usage: UsageExamples;
  /** Present where cards stay in their places for the sake of prompt caches. */
  readonly seen: StableOrders | undefined;
  /** Those that callers may know of. */
  readonly upstreams: () => readonly UpstreamStatus[];
  readonly waitForStartup: (bounds?: CallerLimits) => Promise<void>;
  /** Something beside an answer went wrong: an operator must know, the caller need not. */
  readonly onTrouble: (what: string, cause: unknown) => void;
}

/** What surfaces may ask, answered from the deps that every call passes. */
export function createGatewayApi({
  deps,
  rankers,
  usage,
  seen,
  upstreams,
  waitForStartup,
  onTrouble,
}: GatewayApiParts): GatewayApi {
  const { catalog, maySee, firewall } = deps;
  /** What a catalog tells was written by upstreams. */
  const withoutSecrets = <Told>(told: Told): Told => redactJson(told, firewall.secrets).value as Told;
  const seenIn = (snapshot: CatalogSnapshot, principal: Principal, sessionId: string | undefined) =>
    seen?.of(snapshot, sessionOf({ principal, sessionId }));

  const shelfFor = async (principal: Principal): Promise<BrowseContext> => {
    await waitForStartup();
    const { snapshot } = catalog;
    const ranker = await rankers.of(snapshot);
    const options = {
      maySee: (contract) => maySee({ principal, contract }),
      examples: await usage.overlayFor(principal, snapshot, ranker),
    } satisfies Parameters<typeof ranker.rank>[2];
    return {
      snapshot,
      upstreams: upstreams(),
      maySee: options.maySee,
      rank: (words, limit) => ranker.rank(words, limit, options),
      explain: (words, contract) => ranker.explain(words, contract, options),
      countTokens: firewall.countTokens,
    };
  };

  /** What was called with success teaches the ranking. It is never worth a lost answer. */
  const learn = async ({ principal, sessionId }: CallRequest, outcome: Outcome): Promise<void> => {
    const { snapshot } = catalog;
    const contract = outcome.status === 'ok' ? snapshot.get(outcome.provenance.toolId) : undefined;
    if (!contract) return;
    const card = seen && showableCard(contract, firewall.countTokens);
    if (card) seenIn(snapshot, principal, sessionId)?.meet(card);
    try {
      await usage.called(principal, contract);
    } catch (cause) {
      onTrouble('example not stored', cause);
    }
  };

  return {
    async browse(principal, request, sessionId) {
      deps.quota?.consume(quotaSubjectOf({ principal, sessionId }), ['tool_browse']);
      const shelf = await shelfFor(principal);
      const answer = browse({ ...shelf, stableOrder: seenIn(shelf.snapshot, principal, sessionId) }, request);
      if (typeof request.query === 'string') {
        usage.shown(
          principal,
          request.query,
          answer.cards.map(({ id }) => id),
        );
      }
      return withoutSecrets(answer);
    },
    affordances: async (principal, objective, budget) =>
      withoutSecrets(compileAffordances(await shelfFor(principal), objective, budget)),
    async invoke(arrival) {
      // A tool that is there already need not wait for the others.
      if (!catalog.snapshot.resolve(arrival.tool)) await waitForStartup(arrival);
      const outcome = await invoke(deps, arrival);
      await learn(arrival, outcome);
      return outcome;
    },
    async view(principal, handle, selector, sessionId) {
      deps.quota?.consume(quotaSubjectOf({ principal, sessionId }), ['tool_view']);
      return viewArtifact(firewall.artifacts, {
        owner: ownerOf(principal),
        handle,
        selector,
        secrets: firewall.secrets,
        countTokens: firewall.countTokens,
      });
    },
  };
}
