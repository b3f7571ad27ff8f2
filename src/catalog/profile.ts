import type { DeclaredTerms } from '../contract/tool/descriptor.ts';
import { TIMEOUT_MS, type TimeoutClass } from '../contract/tool/timeout-class.ts';
import type {
  Authorization,
  ContractBlank,
  Idempotency,
  MutationClass,
  ToolHints,
} from '../contract/tool/tool.ts';

export const PROFILES = ['personal', 'team', 'production'] as const;
export type ProfileName = (typeof PROFILES)[number];

/** The terms that every contract has. */
export interface Terms {
  readonly mutation: MutationClass;
  readonly timeoutClass: TimeoutClass;
  readonly authorization: Authorization;
  readonly idempotency: Idempotency;
}

export interface FilledTerms {
  readonly terms: Terms;
  /** Terms that the profile filled in. */
  readonly filled: readonly ContractBlank[];
  /** Terms that the profile requires to be declared and that are not: the tool is refused. */
  readonly missing: readonly ContractBlank[];
  /** The declared idempotency window where it was below the minimum and was raised to it. */
  readonly raisedFromMs?: number;
}

const MIN_WINDOW_MS = 3_600_000;

/** Completes the declared terms with the defaults of the profile, which the operator chose with the profile. */
export function completeTerms(profile: ProfileName, declared: DeclaredTerms, hints: ToolHints): FilledTerms {
  const filled: ContractBlank[] = [];
  const missing: ContractBlank[] = [];
  const fill = <Term>(
    name: ContractBlank,
    declaredTerm: Term | undefined,
    byProfile: Term,
    mustBeDeclared = false,
  ): Term => {
    if (declaredTerm !== undefined) return declaredTerm;
    (mustBeDeclared ? missing : filled).push(name);
    return byProfile;
  };
  const production = profile === 'production';
  const mutation = fill('mutation', declared.mutation, mutationFrom(hints, production));
  const timeoutClass = fill(
    'timeoutClass',
    declared.timeoutClass,
    profile === 'personal' ? 'long_running' : 'standard',
    production,
  );
  const authorization = {
    ...authorizationOf(profile, mutation),
    ...declared.authorization,
    requiredScopes: fill(
      'authorization',
      requiredScopesOf(declared.authorization),
      authorizationOf(profile, mutation).requiredScopes,
      production,
    ),
  };
  const minWindowMs = Math.max(2 * TIMEOUT_MS[timeoutClass], MIN_WINDOW_MS);
  const { key, windowMs = minWindowMs } = declared.idempotency ?? {};
  const idempotency = {
    key: fill('idempotency', key, mutation === 'read_only' ? 'optional' : WRITE_KEYS[profile]),
    // A shorter window could end before the call: its key would be free, and a retry would repeat the effect.
    windowMs: Math.max(windowMs, minWindowMs),
  };
  return {
    terms: { mutation, timeoutClass, authorization, idempotency },
    filled,
    missing,
    ...(windowMs < minWindowMs && { raisedFromMs: windowMs }),
  };
}

/** A declared alternative of scopes declares that no other scope is required. */
function requiredScopesOf(declared: Partial<Authorization> = {}): readonly string[] | undefined {
  return declared.requiredScopes ?? (declared.requiredScopesAny && []);
}

/** Whether a write needs an idempotency key. */
const WRITE_KEYS: Readonly<Record<ProfileName, Idempotency['key']>> = {
  personal: 'optional',
  team: 'recommended',
  production: 'required',
};

function mutationFrom(hints: ToolHints, assumeIrreversible: boolean): MutationClass {
  if (hints.readOnly) return 'read_only';
  if (hints.destructive || assumeIrreversible) return 'write_irreversible';
  return 'write_reversible';
}

function authorizationOf(profile: ProfileName, mutation: MutationClass): Authorization {
  const scope = mutation === 'read_only' ? 'tools:read' : 'tools:write';
  return { requiredScopes: profile === 'personal' ? [] : [scope], credential: 'gateway' };
}
