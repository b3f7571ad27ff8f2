import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Caller } from '../contract/call/caller.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import { ownerOf } from '../contract/call/principal.ts';
import type { GatewayApi } from '../contract/gateway-api.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { compileAffordances } from '../discovery/affordances/compile.ts';
import { type BrowseContext, browse } from '../discovery/browse.ts';
import { showableCard } from '../discovery/cards/cards.ts';
import type { StableOrder, StableOrders } from '../discovery/cards/stable-order.ts';
import type { Rankers } from '../discovery/ranking/rankers.ts';
import type { UsageExamples } from '../discovery/usage-examples.ts';
import type { CallDependencies } from '../lifecycle/dependencies.ts';
import { invoke } from '../lifecycle/invoke.ts';
import { quotaSubjectOf, sessionKeyOf } from '../lifecycle/phases/authorize.ts';
import { withReceipt } from '../lifecycle/with-receipt.ts';
import { redactJson } from '../redaction/redact-json.ts';
import { viewArtifact } from '../results/view.ts';
import type { Startup } from './wiring/startup.ts';

export interface GatewayApiParts {
  readonly deps: CallDependencies;
  readonly rankers: Rankers;
  readonly usage: UsageExamples;
  /** Present where cards keep their order for the sake of prompt caches. */
  readonly stableOrders: StableOrders | undefined;
  readonly upstreams: (caller: Caller) => readonly UpstreamStatus[];
  readonly startup: Pick<Startup, 'waitForUpstream' | 'waitBriefly' | 'waitForAll'>;
  /** Something beside an answer failed: an operator must know, the caller need not. */
  readonly onTrouble: (what: string, cause: unknown) => void;
}

/** Implements the gateway API with the same dependencies that every call uses. */
export function createGatewayApi(parts: GatewayApiParts): GatewayApi {
  const { deps, usage, upstreams, startup } = parts;
  const { catalog, firewall } = deps;
  /** Descriptions and schemas in an answer were written by upstreams. */
  const redactAnswer = <Answer>(answer: Answer): Answer =>
    redactJson(answer, firewall.secrets).value as Answer;

  return {
    browse: (caller, request) =>
      withReceipt(deps, { caller, operation: 'browse', requested: requestedOf(request) }, async () => {
        deps.quota?.consume(quotaSubjectOf(caller), ['tool_browse']);
        await startup.waitBriefly();
        const context = await browseContextFor(parts, caller);
        const stableOrder = stableOrderOf(parts, context.snapshot, caller);
        const answer = browse({ ...context, stableOrder }, request);
        if (typeof request.query === 'string') {
          const ids = answer.cards.map(({ id }) => id);
          usage.recordBrowse(caller.principal, request.query, ids);
        }
        return redactAnswer(answer);
      }),
    affordances: (caller, { objective, budget }) =>
      withReceipt(deps, { caller, operation: 'affordances', requested: objective }, async () => {
        // A prompt is compiled once and used for long, so it should not lack tools.
        await startup.waitForAll();
        return redactAnswer(compileAffordances(await browseContextFor(parts, caller), objective, budget));
      }),
    async invoke(request, handles) {
      if (!catalog.snapshot.resolve('tool', request.tool)) {
        await startup.waitForUpstream(namespaceOf(request.tool), { ...request, ...handles });
      }
      const outcome = await invoke(deps, request, { ...(handles && { handles }) });
      await learnFrom(parts, request, outcome);
      return outcome;
    },
    view: (caller, { handle, selector }) =>
      withReceipt(deps, { caller, operation: 'view', requested: String(handle) }, async () => {
        deps.quota?.consume(quotaSubjectOf(caller), ['tool_view']);
        return viewArtifact(firewall.artifacts, {
          owner: ownerOf(caller.principal),
          handle,
          selector,
          secrets: firewall.secrets,
          countTokens: firewall.countTokens,
        });
      }),
    upstreams,
  };
}

async function browseContextFor(
  { deps, rankers, usage, upstreams }: GatewayApiParts,
  caller: Caller,
): Promise<BrowseContext> {
  const { snapshot } = deps.catalog;
  const ranker = await rankers.of(snapshot);
  const options = {
    maySee: (contract) => deps.policy.maySee(caller, contract),
    examples: await usage.overlayFor(caller.principal, snapshot, ranker),
  } satisfies Parameters<typeof ranker.rank>[2];
  return {
    snapshot,
    upstreams: upstreams(caller),
    maySee: options.maySee,
    rank: (words, limit) => ranker.rank(words, limit, options),
    explain: (words, contract) => ranker.explain(words, contract, options),
    countTokens: deps.firewall.countTokens,
  };
}

function stableOrderOf(
  { stableOrders }: GatewayApiParts,
  snapshot: CatalogSnapshot,
  caller: Caller,
): StableOrder | undefined {
  return stableOrders?.of(snapshot, sessionKeyOf(caller));
}

/** A successful call improves later rankings. Failing to store that never costs the answer. */
async function learnFrom(parts: GatewayApiParts, { caller }: CallRequest, outcome: Outcome): Promise<void> {
  const { deps, usage, stableOrders, onTrouble } = parts;
  const { snapshot } = deps.catalog;
  const contract = outcome.status === 'ok' ? snapshot.get('tool', outcome.provenance.toolId) : undefined;
  if (!contract) return;
  const card = stableOrders && showableCard(contract, deps.firewall.countTokens);
  if (card) stableOrderOf(parts, snapshot, caller)?.add(card);
  try {
    await usage.recordCall(caller.principal, contract);
  } catch (cause) {
    onTrouble('example not stored', cause);
  }
}

/** The namespace in any reference to a tool: an id, the start of an id, or a path. */
function namespaceOf(tool: string): string {
  return /^\s*\/?([^/:]*)/.exec(tool)![1]!.toLowerCase();
}

function requestedOf({ query, path }: { readonly query?: unknown; readonly path?: unknown }): string {
  return String(query ?? path ?? '');
}
