import { canonicalJson } from '../base/json/canonical-json.ts';
import type { Json } from '../base/json/json.ts';
import type { Caller } from '../contract/call/caller.ts';
import type { Decision, Reason } from '../contract/call/decision.ts';
import type { Principal } from '../contract/call/principal.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { combineReasons, evaluateRules } from './evaluate-rules.ts';
import type { DecisionContext, Rule } from './rule.ts';

/** What a principal may do with a tool. A tool that a principal may not see does not exist for it. */
export interface Verdict {
  /** The tool appears in lists, paths, counts and suggestions. */
  readonly see: boolean;
  /** The schema and the whole description may be shown. */
  readonly describe: boolean;
  readonly call: Decision;
}

interface StaticVerdict extends Verdict {
  /** The reasons of the rules that do not read the call context. */
  readonly reasons: readonly Reason[];
}

/**
 * One revision of the rules. Rules without call context are evaluated once for each principal and contract; the verdict
 * lives as long as the contract, and so no longer than the catalog snapshots that hold it.
 */
export class Policy {
  readonly #rules: readonly Rule[];
  readonly #perCallRules: readonly Rule[];
  readonly #verdicts = new WeakMap<ToolContract, Map<string, StaticVerdict>>();
  readonly #principalKeys = new WeakMap<Principal, string>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules.filter(({ perCall }) => !perCall);
    this.#perCallRules = rules.filter(({ perCall }) => perCall);
  }

  /** Without a context: the verdict before a call. With one, the rules that read it are evaluated too. */
  decide(
    { principal }: Pick<Caller, 'principal'>,
    contract: ToolContract,
    context?: DecisionContext,
  ): Verdict {
    const verdict = this.#staticVerdict(principal, contract);
    if (!context || this.#perCallRules.length === 0) return verdict;
    const reasons = evaluateRules(this.#perCallRules, { ...context, principal, contract });
    return { ...verdict, call: combineReasons([...verdict.reasons, ...reasons]) };
  }

  maySee(caller: Pick<Caller, 'principal'>, contract: ToolContract): boolean {
    return this.decide(caller, contract).see;
  }

  #staticVerdict(principal: Principal, contract: ToolContract): StaticVerdict {
    const byPrincipal = this.#verdicts.get(contract) ?? new Map<string, StaticVerdict>();
    this.#verdicts.set(contract, byPrincipal);
    const key = this.#keyOf(principal);
    const known = byPrincipal.get(key);
    if (known) return known;
    const reasons = evaluateRules(this.#rules, { principal, contract });
    const call = combineReasons(reasons);
    const isVisible = contract.visibility === 'external' && !isDenied(reasons, call, this.#perCallRules);
    const verdict = { see: isVisible, describe: isVisible, call, reasons };
    byPrincipal.set(key, verdict);
    return verdict;
  }

  #keyOf(principal: Principal): string {
    const known = this.#principalKeys.get(principal);
    if (known !== undefined) return known;
    const key = canonicalJson(principal as unknown as Json);
    this.#principalKeys.set(principal, key);
    return key;
  }
}

/** Where no static rule applies, a rule that reads the call context may still allow the call. */
function isDenied(reasons: readonly Reason[], { effect }: Decision, perCallRules: readonly Rule[]): boolean {
  return effect === 'deny' && !(reasons.length === 0 && perCallRules.length > 0);
}
