import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { Caller } from '../../contract/call/caller.ts';
import type { Principal } from '../../contract/call/principal.ts';
import type { Upstream } from '../../contract/ports/upstream.ts';
import type { UpstreamState, UpstreamStatus } from '../../contract/upstream-state.ts';
import type { Policy } from '../../governance/policy.ts';
import type { UpstreamGuard } from '../../lifecycle/upstream/upstream-guard.ts';
import { redactJson } from '../../redaction/redact-json.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';
import type { Source } from './catalog-sync.ts';

type ToolCounts = ReadonlyMap<string, number>;

export interface UpstreamStatusesOptions {
  readonly sources: ReadonlyMap<string, Source>;
  readonly catalog: Catalog;
  readonly policy: Policy;
  readonly guard: (namespace: string) => UpstreamGuard;
  readonly secrets: RuleSet;
}

/** The state, tools and load of every upstream: all of it for operators, and what a caller may know of it. */
export class UpstreamStatuses {
  readonly #options: UpstreamStatusesOptions;
  readonly #counts = new WeakMap<CatalogSnapshot, ToolCounts>();
  readonly #visibleCounts = new WeakMap<CatalogSnapshot, WeakMap<Principal, ToolCounts>>();

  constructor(options: UpstreamStatusesOptions) {
    this.#options = options;
  }

  of(upstream: Upstream): UpstreamStatus {
    const { guard, secrets } = this.#options;
    const { namespace } = upstream;
    return {
      namespace,
      // The reason may quote what a program printed before it exited.
      state: redactJson(this.#stateOf(upstream), secrets).value as UpstreamState,
      tools: this.#toolCounts().get(namespace) ?? 0,
      load: guard(namespace).state,
    };
  }

  /** A connected upstream whose tools the catalog refused is not ready: callers cannot use it. */
  #stateOf({ namespace, state }: Upstream): UpstreamState {
    const failure = this.#options.catalog.failureOf(namespace);
    return state.kind === 'ready' && failure ? { kind: 'invalid', ...failure } : state;
  }

  all(): readonly UpstreamStatus[] {
    return [...this.#options.sources.values()].map(({ upstream }) => this.of(upstream));
  }

  /** Without upstreams all of whose tools are hidden from the caller. One without any tools may still be starting. */
  visibleTo(caller: Caller): readonly UpstreamStatus[] {
    const visible = this.#visibleToolCounts(caller);
    return [...this.#options.sources.values()]
      .filter(({ expose, upstream }) => expose === 'external' || visible.has(upstream.namespace))
      .map(({ upstream }) => this.of(upstream))
      .filter(({ namespace, tools }) => tools === 0 || visible.has(namespace))
      .map((status) => ({ ...status, tools: visible.get(status.namespace) ?? 0 }));
  }

  #toolCounts(): ToolCounts {
    const { snapshot } = this.#options.catalog;
    const counts = this.#counts.get(snapshot) ?? countByNamespace(snapshot.contracts);
    this.#counts.set(snapshot, counts);
    return counts;
  }

  #visibleToolCounts(caller: Caller): ToolCounts {
    const { catalog, policy } = this.#options;
    const { snapshot } = catalog;
    const byPrincipal = this.#visibleCounts.get(snapshot) ?? new WeakMap<Principal, ToolCounts>();
    this.#visibleCounts.set(snapshot, byPrincipal);
    const counts =
      byPrincipal.get(caller.principal) ??
      countByNamespace(snapshot.contracts.filter((contract) => policy.maySee(caller, contract)));
    byPrincipal.set(caller.principal, counts);
    return counts;
  }
}

function countByNamespace(contracts: CatalogSnapshot['contracts']): ToolCounts {
  const counts = new Map<string, number>();
  for (const { namespace } of contracts) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return counts;
}
